import { describe, expect, test } from '@jest/globals'
import { readConfig } from '../operator/config.ts'

describe('QUARTERMASTER_LOG_LEVEL', () => {
  test.each(['error', 'warn', 'info', 'debug'])('may be %s', (level) => {
    expect(readConfig({ QUARTERMASTER_LOG_LEVEL: level }).logLevel).toBe(level)
  })

  test.each([{}, { QUARTERMASTER_LOG_LEVEL: '' }])('is info when it is not said: %j', (environment) => {
    expect(readConfig(environment).logLevel).toBe('info')
  })

  test.each(['verbose', 'INFO', 'warning', 'toString', 'debug '])('is refused as %j, by name', (level) => {
    expect(() => readConfig({ QUARTERMASTER_LOG_LEVEL: level })).toThrow('QUARTERMASTER_LOG_LEVEL')
  })
})
