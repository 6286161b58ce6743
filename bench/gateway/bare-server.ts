// What an HTTP server of Node costs that knows its answers: started by the benchmark, which sends them and asks it to end.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

process.once('message', (answers: Readonly<Record<string, string>>) => {
  const server = createServer((request, response) => {
    const answer = answers[request.url ?? '']
    response.statusCode = answer === undefined ? 404 : 200
    response.setHeader('content-type', 'application/json')
    response.end(answer)
  })
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port)) // of a TCP server
})
