import type { AddressInfo } from 'node:net'
import { expect, test } from '@jest/globals'
import { Registry } from 'prom-client'
import { readConfig } from '../operator/config.ts'
import { serveHealth } from '../operator/health.ts'

test.each(['127.0.0.1', '[::1]'])('probes reach the default address over IPv4 and IPv6: %s', async (host) => {
  const health = { isAlive: () => true, isReady: () => true }
  const server = await serveHealth(health, new Registry(), 0, readConfig({}).healthHost)
  const { port } = server.address() as AddressInfo // of a TCP server
  try {
    expect((await fetch(`http://${host}:${port}/livez`)).status).toBe(200)
  } finally {
    server.close()
  }
})
