// Writes the generated files, or with `--check` fails when one of them is stale.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { kinds } from '../../operator/api/kinds.ts'
import { group } from '../../operator/api/names.ts'
import { readmeOf, readValues } from './chart.ts'
import { crdOf } from './crds.ts'
import { dashboardFiles } from './dashboards.ts'
import { driversPage } from './drivers.ts'
import { metricsPage } from './metrics.ts'
import { withModuleFields } from './module-fields.ts'
import { portalTypes } from './portal-types.ts'
import { reasonsPage } from './reasons.ts'
import { readRules, readTests, rulesPage } from './rules.ts'

const root = join(import.meta.dirname, '../..')
const header = '# Generated from operator/api by `make generate`; do not edit.\n'
const pageHeader = (source: string) =>
  `<!-- Generated from ${source} by \`make generate\`; do not edit. -->\n\n`
const crds = kinds.map((kind) => ({
  file: `crds/${group}_${kind.plural}.yaml`,
  text: header + stringify(crdOf(kind), { lineWidth: 120, aliasDuplicateObjects: false }),
}))
const wanted = new Map([
  ...crds.map(({ file, text }) => [file, text] as const),
  // Helm reads no file outside of the chart.
  ['charts/quartermaster/files/crds.yaml', crds.map(({ text }) => text).join('---\n')],
  ['charts/quartermaster/README.md', readmeOf(readValues())],
  ...[...dashboardFiles()].map(([name, text]) => [`charts/quartermaster/monitoring/${name}`, text] as const),
  ['docs/built-in-drivers.md', pageHeader('the descriptors in operator/drivers') + driversPage()],
  ['docs/metrics.md', pageHeader('the code of the metrics') + metricsPage()],
  ['docs/reasons.md', pageHeader('operator/api/reasons') + reasonsPage()],
  ['docs/workloads.md', withModuleFields(readFileSync(join(root, 'docs/workloads.md'), 'utf8'))],
  ['portal/api/types.ts', portalTypes()],
  ['docs/rules.md', pageHeader('docs/rules.yaml') + rulesPage(readRules(root), readTests(root))],
])

const isCheck = process.argv.includes('--check')
const stale = [...wanted].filter(
  ([file, text]) => !existsSync(join(root, file)) || readFileSync(join(root, file), 'utf8') !== text,
)
const orphans = readdirSync(join(root, 'crds'))
  .map((name) => `crds/${name}`)
  .filter((file) => file.endsWith('.yaml') && !wanted.has(file))

if (isCheck && stale.length + orphans.length > 0) {
  console.error(
    `stale generated files, run \`make generate\`:\n${[...stale.map(([file]) => file), ...orphans].join('\n')}`,
  )
  process.exit(1)
}
for (const folder of ['crds', 'charts/quartermaster/monitoring'])
  mkdirSync(join(root, folder), { recursive: true })
for (const [file, text] of stale) writeFileSync(join(root, file), text)
for (const file of orphans) rmSync(join(root, file))
