/** Ends what the set-up started. */
export default async function tearDown() {
  const { tearDownCluster } = globalThis as unknown as { tearDownCluster?: () => Promise<void> } // set by the set-up
  await tearDownCluster?.()
}
