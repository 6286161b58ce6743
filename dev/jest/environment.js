// Runs test files in the process of the worker itself, without a virtual machine per file: each module is loaded once per worker.
import 'node:tls' // loaded whole before a test overflows the stack
import { ModernFakeTimers } from '@jest/fake-timers'
import { ModuleMocker } from 'jest-mock'

const timers = new ModernFakeTimers({ config: { fakeTimers: {} }, global: globalThis })
const mocker = new ModuleMocker(globalThis)

/** What tests use of the object `jest`. */
globalThis.jest = {
  spyOn: (object, name) => mocker.spyOn(object, name),
  restoreAllMocks: () => mocker.restoreAllMocks(),
  useFakeTimers: (config) => timers.useFakeTimers(config),
  useRealTimers: () => timers.useRealTimers(),
  advanceTimersByTime: (milliseconds) => timers.advanceTimersByTime(milliseconds),
  getTimerCount: () => timers.getTimerCount(),
  setTimeout: (milliseconds) => {
    globalThis[Symbol.for('TEST_TIMEOUT_SYMBOL')] = milliseconds
  },
}

export default class NativeEnvironment {
  global = globalThis
  moduleMocker = mocker
  fakeTimersModern = timers

  async setup() {
    delete globalThis[Symbol.for('TEST_TIMEOUT_SYMBOL')]
  }

  async teardown() {
    timers.dispose()
    mocker.restoreAllMocks()
  }

  getVmContext() {
    return null
  }
}
