import { Membership } from '../../../operator/api/access.ts'
import { Application } from '../../../operator/api/application.ts'
import { newObject } from '../../../operator/api/kind.ts'
import { list, object, string } from '../../../operator/api/schema.ts'
import { allows } from '../../../operator/domain/access/roles.ts'
import { Problem } from '../../../operator/domain/base/errors.ts'
import { authorize, type Caller } from '../../authenticate.ts'
import { accepted, created, type Endpoint, endpoint, type Gateway, noContent, ok } from '../../endpoint.ts'
import { acceptedShape, errorShape } from '../../response/shapes.ts'
import { changeObject, patchSpec } from '../common/change.ts'
import {
  createdBy,
  environmentsOf,
  find,
  findApplication,
  newMetadata,
  refuseTaken,
  replacementTimeoutMs,
  waitUntilDeleted,
  withFinalizer,
} from '../common/find.ts'
import { listEndpoint, nameOf } from '../common/list-endpoint.ts'
import { withRollback } from '../common/rollback.ts'
import { targetOf, withdrawUnlessPresent } from '../common/target.ts'
import { hasResources, removeRecorded } from '../environments/environment-writing.ts'
import { applicationShape, newApplicationShape, toApplication } from './application-shape.ts'
import { withApplicationRole } from './application-users.ts'
import { hasEarlierObjects } from './earlier-objects.ts'
import { prepareFirstEnvironment } from './first-environment.ts'
import { findIncomplete, isOwnedBy, mayBeCompleted } from './incomplete-application.ts'

/** Makes the creator an owner, unless they are an administrator. */
async function makeOwner(
  application: Application,
  caller: Caller,
  { cluster, log }: Pick<Gateway, 'cluster' | 'log'>,
): Promise<void> {
  const { namespace, name: applicationName, uid } = application.metadata
  if (caller.membership?.role === 'administrator') return
  const membership = find(cluster.store, Membership, namespace, caller.userName)
  if (!membership) throw new Problem('Forbidden', 'the token does not grant access to this organization')
  const withRole = (object: Membership, role: 'owner' | undefined): Membership => ({
    ...object,
    spec: withApplicationRole(object.spec, applicationName, role),
  })
  let isGiven = false
  // The cached membership may have a role on an earlier application of the ID, which the operator has withdrawn.
  const given = await changeObject(cluster, Membership, membership, (object) => {
    isGiven = !isOwnedBy(application, object.spec)
    return isGiven ? withRole(object, 'owner') : object
  })
  if (!isGiven) return
  await withdrawUnlessPresent({ cluster, log }, targetOf(application), async () => {
    const current = cluster.store.get(Application, namespace, applicationName)
    // The caller owns a later application of the ID that they created, by the same role.
    const isSucceeded = current && current.metadata.uid !== uid && createdBy(current) === caller.userName
    if (!isSucceeded) await changeObject(cluster, Membership, given, (object) => withRole(object, undefined))
  })
}

/** Applications. */
export const applications: readonly Endpoint[] = [
  listEndpoint({
    path: '/orgs/{org_id}/apps',
    summary: 'List the applications that the caller can see',
    tag: 'Applications',
    access: { organization: 'member' },
    response: list(applicationShape, 'Applications.'),
    find: ({ params: { org_id }, caller }, { cluster: { store } }) =>
      store
        .list(Application, org_id)
        .filter(({ metadata }) =>
          allows(caller.membership, { application: 'viewer' }, { applicationId: metadata.name }),
        ),
    positionOf: nameOf,
    show: (each, { cluster }) => toApplication(cluster.store, each),
  }),
  endpoint({
    method: 'post',
    path: '/orgs/{org_id}/apps',
    summary: 'Create an application with its first environment',
    tag: 'Applications',
    access: { organization: 'manager' },
    body: newApplicationShape,
    responses: { 201: applicationShape, 409: errorShape },
    async handle({ params: { org_id }, body, caller, currentCaller }, gateway) {
      const { cluster, log, serverNow } = gateway
      const { store } = cluster
      const known = store.get(Application, org_id, body.id)
      const refuse = () =>
        refuseTaken(cluster, Application, known, `application '${body.id}'`, replacementTimeoutMs)
      const left = await findIncomplete(known, body.name, caller, gateway)
      if (!left) await refuse()
      const createFirst = await prepareFirstEnvironment({ cluster, log }, org_id, body, caller)
      await currentCaller()
      const complete = async (application: Application) => {
        await makeOwner(application, caller, { cluster, log })
        await createFirst?.(application)
        return created(toApplication(store, application))
      }
      // Others may use it by now, so it stays if this fails.
      if (left && (createFirst || !isOwnedBy(left, caller.membership))) return complete(left)
      if (left) await refuse()
      const metadata = withFinalizer(newMetadata(org_id, body.id, caller))
      const startedAt = serverNow()
      const application = await cluster.create(
        Application,
        newObject(Application, metadata, { displayName: body.name }),
      )
      return withRollback(
        log,
        async () => {
          const isLate = mayBeCompleted(serverNow() - startedAt)
          if (!isLate && !hasEarlierObjects(store, application, caller)) {
            await cluster.remove(Application, application)
            return
          }
          const reason = isLate ? 'the same request can complete it' : 'it has earlier objects'
          log.warn(`an application of a failed creation is kept, because ${reason}`, {
            organization: org_id,
            application: body.id,
          })
        },
        () => complete(application),
      )
    },
  }),
  endpoint({
    method: 'get',
    path: '/orgs/{org_id}/apps/{app_id}',
    summary: 'Get an application',
    tag: 'Applications',
    access: { application: 'viewer' },
    responses: { 200: applicationShape },
    handle: ({ params }, { cluster: { store } }) => ok(toApplication(store, findApplication(store, params))),
  }),
  endpoint({
    method: 'patch',
    path: '/orgs/{org_id}/apps/{app_id}',
    summary: 'Rename an application',
    tag: 'Applications',
    access: { application: 'owner' },
    body: object({ name: string('Display name.') }, {}, 'Fields to change.'),
    responses: { 200: applicationShape },
    async handle({ params, body }, { cluster }) {
      const application = findApplication(cluster.store, params)
      const show = (each: Application) => toApplication(cluster.store, each)
      return ok(show(await patchSpec(cluster, Application, application, { displayName: body.name }, show)))
    },
  }),
  endpoint({
    method: 'delete',
    path: '/orgs/{org_id}/apps/{app_id}',
    summary: 'Delete an application and its environments',
    tag: 'Applications',
    access: { application: 'owner', deployer: true },
    responses: { 202: acceptedShape, 204: undefined },
    async handle({ params, caller }, { cluster }) {
      const { store } = cluster
      const application = findApplication(store, params)
      const environments = environmentsOf(store, application)
      for (const { spec } of environments) {
        const target = { applicationId: params.app_id, environmentType: spec.typeName }
        authorize(caller, { application: 'owner', deployer: true }, target)
      }
      await removeRecorded(cluster, environments, caller, Application, application)
      if (environments.some((each) => hasResources(store, each))) return accepted
      const look = () => store.get(Application, params.org_id, params.app_id)
      return (await waitUntilDeleted(look)) ? noContent : accepted
    },
  }),
]
