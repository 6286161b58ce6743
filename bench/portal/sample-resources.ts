const perWorkload = 10
const types = ['s3', 'postgres', 'redis', 'dns', 'volume']

/** Resources of workloads with ten dependencies each, some of them shared, as the API lists them. */
export function sampleResources(count: number): object[] {
  const idOf = (index: number) => index.toString(16).padStart(40, '0')
  return Array.from({ length: count }, (_, index) => {
    const workload = index - (index % perWorkload)
    const isWorkload = index === workload
    const members = Array.from({ length: perWorkload - 1 }, (__, offset) => workload + 1 + offset)
    // Every workload also depends on a resource of the one before it.
    const needed = [...members, Math.max(1, workload - 1)].filter((each) => each < count && each !== index)
    const name = `workload-${workload / perWorkload}`
    return {
      gu_res_id: idOf(index),
      res_id: isWorkload ? `modules.${name}` : `modules.${name}.externals.dependency-${index % perWorkload}`,
      type: isWorkload ? 'workload' : (types[index % types.length] ?? ''),
      class: 'default',
      def_id: `definition-${index % 7}`,
      driver_type: 'quartermaster/echo',
      depends_on: isWorkload ? needed.map(idOf) : [],
      status: index % 50 === 1 ? 'pending' : 'active',
      is_failing: index % 100 === 1,
      resource: {},
      secret_refs: {},
      updated_at: '2026-01-01T00:00:00Z',
    }
  })
}
