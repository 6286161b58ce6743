// `make node-down`: removes the node that `make node` started, with its control plane and all data.
import { places } from '../places.ts'
import { stopNode } from './node.ts'

await stopNode(places.node)
console.log('the node is removed')
