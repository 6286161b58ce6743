import { afterAll, beforeEach } from '@jest/globals'
import { startGateway, type TestGateway } from './gateway.ts'

/**
 * Starts the gateway of a test file. Every test begins with the two organizations, their administrator, and the objects
 * of `prepare`.
 */
export async function setUpGateway(
  prepare: (gateway: TestGateway) => unknown = () => {},
  options: Parameters<typeof startGateway>[0] = {},
): Promise<TestGateway> {
  const gateway = await startGateway(options)
  beforeEach(async () => {
    gateway.reset()
    await prepare(gateway)
  })
  afterAll(() => gateway.close())
  return gateway
}
