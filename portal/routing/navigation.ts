/** An entry of the main navigation. */
export interface NavigationEntry {
  readonly label: string
  /** Pattern of the page. */
  readonly pattern: string
  /** Addresses that belong to the entry begin with one of these patterns. */
  readonly under: readonly string[]
}

/** The main navigation within an organization. */
export const navigation: readonly NavigationEntry[] = [
  { label: 'Applications', pattern: '/o/:org', under: ['/o/:org/apps'] },
]
