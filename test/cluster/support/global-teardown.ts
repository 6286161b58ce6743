/** Stops the processes of the set-up. */
export default async function tearDown() {
  const { tearDownCluster } = globalThis as unknown as { tearDownCluster?: () => Promise<void> } // set by the set-up
  await tearDownCluster?.()
}
