// A process that takes part in an election; prints when it leads, and blocks its event loop for ever on request.
import { loadConnection } from '../../../operator/kube/client/connection.ts'
import { startElection } from '../../../operator/kube/lease/leader.ts'
import { silentLog } from '../../../operator/log.ts'

const { kubeconfig, ...options } = JSON.parse(process.argv[2] ?? '')
const connection = await loadConnection({ kubeconfig })
const election = startElection({ ...options, connection, log: silentLog })
process.stdin.once('data', () => {
  for (;;);
})
await election.elected
console.log('leading')
