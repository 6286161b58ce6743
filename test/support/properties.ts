import fc from 'fast-check'

// In CI the cases are the same each time, so that one commit has one verdict; everywhere else they are others each time.
if (process.env.CI && !process.env.QUARTERMASTER_SOAK)
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 7_340_033 })

export { fc }
