import fc from 'fast-check'

// The cases are the same each time, so that one commit has one verdict; the long tests look for others each time.
if (!process.env.QUARTERMASTER_SOAK) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 7_340_033 })

export { fc }
