import { expect, test } from '@jest/globals'
import type { ProvisionRequest } from '../../operator/drivers/driver.ts'
import { echo } from '../../operator/drivers/echo/driver.ts'
import { driverContract, provisionRequest } from './support/contract.ts'

const values = { host: 'db.local', port: 5432, nested: { list: ['a', { b: true }] } }
const secrets = { password: 'hunter2', tls: { 'tls.key': 'k' } }

function request(changes: Partial<ProvisionRequest> = {}): ProvisionRequest {
  return provisionRequest('postgres', { values, secrets, ...changes })
}

driverContract(echo, request)

test.each([
  ['the outputs are the inputs, secret ones apart', { values, secrets }],
  ['no inputs: no outputs', { values: {}, secrets: {} }],
])('%s', async (_, inputs) => {
  expect(await echo.provision(request(inputs))).toEqual({ outputs: inputs, objects: [] })
})
