// What tests import from '@jest/globals'. Jest makes these functions anew for each file, while modules are loaded once:
// each name calls the function of the current file.
const current = (name) =>
  new Proxy(() => {}, {
    apply: (_target, _self, parameters) => globalThis[name](...parameters),
    get: (_target, key) => globalThis[name][key],
  })

export const afterAll = current('afterAll')
export const afterEach = current('afterEach')
export const beforeAll = current('beforeAll')
export const beforeEach = current('beforeEach')
export const describe = current('describe')
export const expect = current('expect')
export const test = current('test')
export const { jest } = globalThis
