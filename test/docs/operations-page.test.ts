import { execFileSync } from 'node:child_process'
import { expect, test } from '@jest/globals'
import { blocksAt } from './run-page.ts'

const commands = () =>
  blocksAt('docs/operations.md', 'control plane')
    .map((block) => block.text)
    .join('\n')

function outputOf(script: string, items: readonly object[]): string {
  return execFileSync('bash', ['-c', script], { input: JSON.stringify({ items }) }).toString()
}

/** The objects that a backup saves, with a list of objects in place of the cluster's. */
function saved(items: readonly object[]): { kind: string }[] {
  const text = commands()
  const [clean = ''] = /^clean=.*$/m.exec(text) ?? []
  const [, command = ''] = /^kubectl get "\$kinds" -A -o json \| (jq [^>]*) > /m.exec(text) ?? []
  return (JSON.parse(outputOf(`${clean}\n${command}`, items)) as { items: { kind: string }[] }).items
}

/** The lines about environments whose start a backup loses. */
function lostStarts(items: readonly object[]): string[] {
  const [, command = ''] =
    /^kubectl get environments\S* -A -o json \| (jq -r [^"]*"[^"]*"')/m.exec(commands()) ?? []
  return outputOf(command, items).split('\n').filter(Boolean)
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

const started = (name: string, fromRequest: object | undefined, lastPlanned: object | undefined) => ({
  kind: 'Environment',
  metadata: { namespace: 'acme', name },
  spec: { applicationName: 'shop', fromDeploymentName: 'shop.prod.1', fromRequest },
  status: { lastPlanned, start: { environmentName: 'shop.prod' } },
})

test('a backup has no start of an environment, which a later deployment of the same name would become', () => {
  expect(saved([started('shop.a', { deploymentName: 'shop.prod.1' }, undefined)])).toEqual([
    {
      kind: 'Environment',
      metadata: { namespace: 'acme', name: 'shop.a' },
      spec: { applicationName: 'shop' },
    },
  ])
})

test('the starts that no deployment has used yet are listed', () => {
  const again = { deploymentName: 'shop.prod.1', time: '2026-01-01T00:00:02Z' }
  const used = { environmentFromName: 'shop.prod.1' }
  const given = [
    started('shop.new', undefined, undefined),
    started('shop.used', undefined, used),
    started('shop.other', undefined, { environmentFromName: 'shop.prod.0' }),
    started('shop.again', again, { ...used, environmentFromTime: '2026-01-01T00:00:01Z' }),
    started('shop.used-again', again, { ...used, environmentFromTime: again.time }),
    started('shop.other-request', { ...again, deploymentName: 'shop.prod.0' }, used),
    { metadata: { namespace: 'acme', name: 'shop.empty' }, spec: {} },
  ]
  expect(lostStarts(given)).toEqual(
    ['new', 'other', 'again'].map((name) => `acme shop.${name} starts from shop.prod.1 of shop.prod`),
  )
})

test('a backup has what is being deleted as if it was not: it would be restored without an end of its deletion', () => {
  const metadata = {
    namespace: 'acme',
    name: 'shop.staging',
    deletionTimestamp: '2026-01-01T00:00:00Z',
    deletionGracePeriodSeconds: 0,
    finalizers: ['quartermaster.dev/finalizer'],
  }
  expect(saved([{ kind: 'Environment', metadata, spec: {} }])).toEqual([
    { kind: 'Environment', metadata: { namespace: 'acme', name: 'shop.staging' }, spec: {} },
  ])
})

test('a restore has Workloads after the deployments of their modules, and labels of organizations after their objects', () => {
  const text = commands()
  const [, kinds = ''] = /grep -vE '(.*)'/.exec(text) ?? []
  expect(new RegExp(kinds).test('workloads.quartermaster.dev')).toBe(true)
  const steps = [
    '[1-3]-*.json',
    'kubectl label namespace',
    '4-deployments.json"\n',
    'kubectl wait',
    'apply "$FOLDER/5-workloads',
  ]
  const [, restore = ''] = text.split('apply() {')
  const places = steps.map((step) => restore.indexOf(step))
  expect(places).not.toContain(-1)
  expect(places).toEqual(places.toSorted((left, right) => left - right))
})

test('a backup names what belongs to an object but is restored by itself', () => {
  const owned = (kind: string, name: string, ...owners: readonly object[]) => ({
    kind,
    metadata: { namespace: 'acme', name, ownerReferences: owners.length > 0 ? owners : undefined },
  })
  const apiVersion = 'quartermaster.dev/v1alpha1'
  const [, command = ''] = /^kubectl get secrets,\S* -A -o json \| (jq -r [^>]*') > /m.exec(commands()) ?? []
  const output = outputOf(command, [
    owned('Secret', 'cloud-credentials', { apiVersion, kind: 'ResourceAccount', name: 'cloud' }),
    owned('Secret', 'outputs', { apiVersion, kind: 'ActiveResource', name: 'a' }),
    owned('Secret', 'foreign', { apiVersion: 'v1', kind: 'Pod', name: 'a' }),
    owned('Secret', 'login'),
    owned('AccessToken', 'ci', { apiVersion, kind: 'User', name: 'robot' }),
  ])
  expect(output.split('\n').filter(Boolean)).toEqual([
    'acme Secret/cloud-credentials ResourceAccount cloud',
    'acme AccessToken/ci User robot',
  ])
})
