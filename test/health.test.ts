import type { AddressInfo } from 'node:net'
import { expect, test } from '@jest/globals'
import { Registry } from 'prom-client'
import { readConfig } from '../operator/config.ts'
import { serveHealth } from '../operator/health.ts'

test.each(['127.0.0.1', '[::1]'])('probes reach the default address over IPv4 and IPv6: %s', async (host) => {
  const server = await serveHealth({ livez: {}, readyz: {} }, new Registry(), 0, readConfig({}).healthHost)
  const { port } = server.address() as AddressInfo // of a TCP server
  try {
    expect((await fetch(`http://${host}:${port}/livez`)).status).toBe(200)
  } finally {
    server.close()
  }
})

test.each([
  { path: '/livez', status: 200, text: '[+]watches work\n' },
  { path: '/readyz', status: 503, text: '[+]admitted\n[-]all objects are read\n' },
  { path: '/other', status: 404, text: '' },
])('a probe says which check fails: $path', async ({ path, status, text }) => {
  const health = {
    livez: { 'watches work': () => true },
    readyz: { admitted: () => true, 'all objects are read': () => false },
  }
  const server = await serveHealth(health, new Registry(), 0, '127.0.0.1')
  const { port } = server.address() as AddressInfo // of a TCP server
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`)
    expect([response.status, await response.text()]).toEqual([status, text])
  } finally {
    server.close()
  }
})
