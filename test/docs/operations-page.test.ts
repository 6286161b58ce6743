import { execFileSync } from 'node:child_process'
import { expect, test } from '@jest/globals'
import { blocksAt } from './run-page.ts'

/** The command that saves the objects, with a list of objects in place of the cluster's. */
function saved(items: readonly object[]): { kind: string }[] {
  const text = blocksAt('docs/operations.md', 'control plane')
    .map((block) => block.text)
    .join('\n')
  const [clean = ''] = /^clean=.*$/m.exec(text) ?? []
  const [, command = ''] = /^kubectl get "\$kinds" -A -o json \| (jq .*) > /m.exec(text) ?? []
  const output = execFileSync('bash', ['-c', `${clean}\n${command}`], { input: JSON.stringify({ items }) })
  return (JSON.parse(output.toString()) as { items: { kind: string }[] }).items
}

test('a backup has automation rules last, so that they deploy no version of the past, and other objects by age', () => {
  const object = (kind: string, second: number) => ({
    kind,
    metadata: { name: `${kind}-${second}`, creationTimestamp: `2026-01-01T00:00:0${second}Z` },
  })
  const given = [
    object('ArtefactVersion', 5),
    object('AutomationRule', 3),
    object('Registry', 2),
    object('AutomationRule', 1),
    object('ArtefactVersion', 4),
  ]
  expect(saved(given)).toEqual([
    { kind: 'Registry', metadata: { name: 'Registry-2' } },
    { kind: 'ArtefactVersion', metadata: { name: 'ArtefactVersion-4' } },
    { kind: 'ArtefactVersion', metadata: { name: 'ArtefactVersion-5' } },
    { kind: 'AutomationRule', metadata: { name: 'AutomationRule-1' } },
    { kind: 'AutomationRule', metadata: { name: 'AutomationRule-3' } },
  ])
})
