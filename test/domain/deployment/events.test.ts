import { describe, expect, test } from '@jest/globals'
import { Environment } from '../../../operator/api/environment.ts'
import { EnvironmentDeployment } from '../../../operator/api/environment-deployment.ts'
import { annotations } from '../../../operator/api/names.ts'
import {
  defaultPayload,
  deploymentEvents,
  environmentEvents,
  eventTypes,
} from '../../../operator/domain/deployment/events.ts'
import { storedObject } from '../../support/builders.ts'

const { triggeredBy, createdBy, deletedBy } = annotations
const created = '2026-01-01T10:00:00Z'
const later = '2026-01-01T10:05:00Z'

type Marks = Readonly<Record<string, string>>

function environment({ marks = {}, displayName, deletionTimestamp, uid = 'uid-1' }: EnvironmentChanges = {}) {
  const metadata = {
    namespace: 'acme',
    name: 'shop.staging',
    uid,
    creationTimestamp: created,
    annotations: marks,
    ...(deletionTimestamp ? { deletionTimestamp } : {}),
  }
  const spec = {
    applicationName: 'shop',
    typeName: 'production',
    ...(displayName === undefined ? {} : { displayName }),
  }
  return storedObject(Environment, metadata, spec)
}
interface EnvironmentChanges {
  readonly marks?: Marks
  readonly displayName?: string
  readonly deletionTimestamp?: string
  readonly uid?: string
}

type Status = NonNullable<EnvironmentDeployment['status']>
const condition = (type: string) => ({
  conditions: [{ type, status: 'True', reason: 'R', message: '', lastTransitionTime: later }] as const,
})
const succeeded = { ...condition('Ready'), finishTime: later } as unknown as Status // as a status holds it
const failed = { ...condition('Stalled'), finishTime: later } as unknown as Status // as a status holds it

function deployment(
  status: Partial<Status> | undefined,
  spec: Partial<EnvironmentDeployment['spec']> = {},
  marks: Marks = {},
): EnvironmentDeployment {
  const metadata = {
    namespace: 'acme',
    name: 'shop.staging.3',
    uid: 'uid-3',
    creationTimestamp: created,
    annotations: marks,
  }
  const made = storedObject(EnvironmentDeployment, metadata, { environmentName: 'shop.staging', ...spec })
  return { ...made, ...(status ? { status } : {}) } as EnvironmentDeployment // as a status holds it
}

const byEvent = (found: readonly { readonly variables: Marks }[], event: string) =>
  found.find(({ variables }) => variables['event'] === event)?.variables

describe('an environment', () => {
  test('that was created: its variables', () => {
    const [event, ...others] = environmentEvents(
      environment({ displayName: 'Staging', marks: { [createdBy]: 'ann' } }),
    )
    expect(others).toEqual([])
    expect(event).toMatchObject({ scope: 'environment', type: 'created', applicationName: 'shop' })
    expect(event?.variables).toEqual({
      event: 'environment.created',
      triggered_at: '2026-01-01T10:00:00.000Z',
      triggered_by: 'ann',
      org_id: 'acme',
      app_id: 'shop',
      env_id: 'staging',
      name: 'Staging',
      type: 'production',
    })
  })

  test('that has no name for people: its id', () => {
    expect(environmentEvents(environment())[0]?.variables['name']).toBe('staging')
  })

  test('that is deleted: created, then deleted, at the time of the deletion', () => {
    const found = environmentEvents(environment({ deletionTimestamp: later }))
    expect(found.map(({ type, at }) => [type, at])).toEqual([
      ['created', '2026-01-01T10:00:00.000Z'],
      ['deleted', '2026-01-01T10:05:00.000Z'],
    ])
    expect(found[1]?.variables).toMatchObject({ event: 'environment.deleted', env_id: 'staging' })
  })
})

describe('a deployment', () => {
  test('that finished: its variables', () => {
    const status = { ...succeeded, startTime: '2026-01-01T10:01:00.25Z', setName: 'shop.abc' }
    const spec = { deltaName: 'change', comment: 'a release', setName: 'shop.of-spec' }
    const found = deploymentEvents(deployment(status, spec, { [createdBy]: 'ann' }))
    const same = {
      triggered_by: 'ann',
      org_id: 'acme',
      app_id: 'shop',
      env_id: 'staging',
      deploy_id: 'shop.staging.3',
      delta_id: 'change',
      set_id: 'abc',
      comment: 'a release',
    }
    expect(found.map(({ variables }) => variables)).toEqual([
      {
        ...same,
        event: 'deployment.started',
        triggered_at: '2026-01-01T10:01:00.250Z',
        status: 'in progress',
      },
      {
        ...same,
        event: 'deployment.finished',
        triggered_at: '2026-01-01T10:05:00.000Z',
        status: 'succeeded',
      },
    ])
  })

  test.each<[rule: string, status: Partial<Status> | undefined, events: readonly string[]]>([
    ['that waits: nothing', undefined, []],
    ['that waits, seen by the operator: nothing', {}, []],
    ['that runs: started', { startTime: created }, ['started in progress']],
    [
      'that succeeded: started and finished',
      { ...succeeded, startTime: created },
      ['started in progress', 'finished succeeded'],
    ],
    [
      'that failed: started and finished',
      { ...failed, startTime: created },
      ['started in progress', 'finished failed'],
    ],
    [
      'that failed before it began: it started when it ended',
      failed,
      ['started in progress', 'finished failed'],
    ],
    [
      'that has a time of its end but has not ended: started',
      { startTime: created, finishTime: later },
      ['started in progress'],
    ],
  ])('%s', (_, status, events) => {
    const found = deploymentEvents(deployment(status))
    expect(found.map(({ type, variables }) => `${type} ${variables['status']}`)).toEqual(events)
  })

  test('that never began: both at the time of its end', () => {
    expect(deploymentEvents(deployment(failed)).map(({ at }) => at)).toEqual([
      '2026-01-01T10:05:00.000Z',
      '2026-01-01T10:05:00.000Z',
    ])
  })

  test.each<
    [rule: string, status: Partial<Status>, spec: Partial<EnvironmentDeployment['spec']>, id: string]
  >([
    ['that of the status', { setName: 'shop.aa' }, { setName: 'shop.bb' }, 'aa'],
    ['that of the spec by default', {}, { setName: 'shop.bb' }, 'bb'],
    ['without the prefix of the application', {}, { setName: 'shop.shop.bb' }, 'shop.bb'],
    ['as it is when it is of no application', {}, { setName: 'by-hand' }, 'by-hand'],
    ['as it is when it is of another application', {}, { setName: 'shops.bb' }, 'shops.bb'],
    ['empty without one', {}, {}, ''],
  ])('id of its set: %s', (_, status, spec, id) => {
    const found = deploymentEvents(deployment({ ...status, startTime: created }, spec))
    expect(found[0]?.variables['set_id']).toBe(id)
  })

  test.each(['nonsense', 'a.b.c', '.b', 'a.', ''])(
    'to an invalid environment, %j, has no event',
    (environmentName) => {
      expect(deploymentEvents(deployment({ startTime: created }, { environmentName }))).toEqual([])
    },
  )
})

describe('who it was', () => {
  test.each<[rule: string, marks: Marks, user: string, whoDeleted: string]>([
    [
      'the identity that the cluster stamped',
      { [triggeredBy]: 'kim', [createdBy]: 'ann' },
      'kim',
      'kubernetes',
    ],
    ['else the user over REST', { [createdBy]: 'ann' }, 'ann', 'kubernetes'],
    ['an empty text is no user', { [triggeredBy]: '', [createdBy]: 'ann' }, 'ann', 'kubernetes'],
    ['else Kubernetes', {}, 'kubernetes', 'kubernetes'],
    ['who asked for the deletion', { [createdBy]: 'ann', [deletedBy]: 'bob' }, 'ann', 'bob'],
    ['a text over the limit is no user', { [createdBy]: 'x'.repeat(9000) }, 'kubernetes', 'kubernetes'],
  ])('%s', (_, marks, user, whoDeleted) => {
    const found = environmentEvents(environment({ marks, deletionTimestamp: later }))
    expect(found.map(({ variables }) => variables['triggered_by'])).toEqual([user, whoDeleted])
    const [started] = deploymentEvents(deployment({ startTime: created }, {}, marks))
    expect(started?.variables['triggered_by']).toBe(user)
  })
})

describe('the id of an event', () => {
  const idsOf = (found: readonly { readonly id: string }[]) => found.map(({ id }) => id)

  test('is the same for every state of the object', () => {
    const early = idsOf(deploymentEvents(deployment({ startTime: created })))
    const late = idsOf(deploymentEvents(deployment({ ...succeeded, startTime: created, setName: 'shop.a' })))
    expect(late[0]).toBe(early[0])
    expect(idsOf(environmentEvents(environment({ displayName: 'New', deletionTimestamp: later })))[0]).toBe(
      idsOf(environmentEvents(environment()))[0],
    )
  })

  test('differs for each event and each object, also for a new one of the same name', () => {
    const ids = [
      ...idsOf(deploymentEvents(deployment(succeeded))),
      ...idsOf(environmentEvents(environment({ deletionTimestamp: later }))),
      ...idsOf(environmentEvents(environment({ deletionTimestamp: later, uid: 'uid-2' }))),
    ]
    expect(new Set(ids).size).toBe(6)
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/)
  })
})

describe('declared events', () => {
  test('the four events of the specification', () => {
    expect(eventTypes.map(({ scope, type }) => `${scope}.${type}`)).toEqual([
      'environment.created',
      'environment.deleted',
      'deployment.started',
      'deployment.finished',
    ])
  })

  test('each with the variables that it has', () => {
    const found = [
      ...environmentEvents(environment({ deletionTimestamp: later })),
      ...deploymentEvents(deployment(succeeded)),
    ]
    for (const { scope, type, properties } of eventTypes)
      expect(Object.keys(byEvent(found, `${scope}.${type}`) ?? {})).toEqual(properties)
  })

  test('and the default payload: the variables that all have', () => {
    expect(defaultPayload).toEqual({
      event: '${event}',
      triggered_at: '${triggered_at}',
      triggered_by: '${triggered_by}',
      org_id: '${org_id}',
      app_id: '${app_id}',
      env_id: '${env_id}',
    })
  })
})
