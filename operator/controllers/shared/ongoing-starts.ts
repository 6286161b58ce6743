/** The starts of deployments. One plans with the objects that it finds, and writes resources that name their Secrets a moment later. */
export class OngoingStarts {
  readonly #byOrganization = new Map<string, Set<Promise<unknown>>>()

  /** Runs a start; throws what it throws. */
  async run<T>(organization: string, start: () => Promise<T>): Promise<T> {
    const starts = this.#byOrganization.get(organization) ?? new Set()
    this.#byOrganization.set(organization, starts)
    const running = start()
    starts.add(running)
    try {
      return await running
    } finally {
      starts.delete(running)
      if (starts.size === 0) this.#byOrganization.delete(organization)
    }
  }

  /** Waits for the starts that have begun. Later ones find what the caches have now. */
  async over(organization: string): Promise<void> {
    const starts = this.#byOrganization.get(organization)
    if (starts) await Promise.allSettled(starts)
  }
}
