/** An entry of the main navigation. */
export interface NavigationEntry {
  readonly label: string
  /** Pattern of the page. */
  readonly pattern: string
  /** Addresses that belong to the entry begin with one of these patterns. */
  readonly under: readonly string[]
  /** The entry is only for administrators of the organization. */
  readonly isForAdministrators?: true
}

/** The main navigation within an organization. */
export const navigation: readonly NavigationEntry[] = [
  { label: 'Applications', pattern: '/o/:org', under: ['/o/:org/apps'] },
  { label: 'Definitions', pattern: '/o/:org/definitions', under: ['/o/:org/definitions'] },
  { label: 'Types', pattern: '/o/:org/types', under: ['/o/:org/types'] },
  { label: 'Users', pattern: '/o/:org/users', under: ['/o/:org/users'], isForAdministrators: true },
  { label: 'Accounts', pattern: '/o/:org/accounts', under: ['/o/:org/accounts'] },
  { label: 'Drivers', pattern: '/o/:org/drivers', under: ['/o/:org/drivers'] },
  { label: 'Audit', pattern: '/o/:org/audit', under: ['/o/:org/audit'], isForAdministrators: true },
]
