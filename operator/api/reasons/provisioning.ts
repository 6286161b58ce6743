import { reason } from './text.ts'

const retried = 'The operator retries; look at the driver if the error stays.'

/** Why a driver, its provider or the cluster does not do what a resource needs. */
export const provisioningReasons = {
  AnnotationRefused: reason(
    'A setting forbids an annotation of the Ingress.',
    'Remove the annotation from the definition, or change the setting.',
  ),
  BatchRefused: reason(
    'The DNS provider refused the batch, so the record waits for the next one.',
    'Nothing to do.',
  ),
  ChangedByOthers: reason(
    'Another client changes the object, or an object of the resource, again and again, so the operator repairs it with pauses.',
    'Stop the client that the message names from changing what Quartermaster sets.',
  ),
  ConfirmingAbsence: reason(
    'The operator checks again that the DNS record no longer exists.',
    'Nothing to do.',
  ),
  Conflict: reason(
    'An object or record of the same name exists and belongs to something else.',
    'Remove or rename it, then deploy again.',
  ),
  DeprovisionFailed: reason(
    'Deprovisioning failed.',
    'The operator retries; an administrator can detach the resource if the error stays.',
  ),
  DriverBusy: reason('The driver is working on the resource, or accepts no more requests now.', 'Wait.'),
  DriverFailed: reason('The driver answered with a server error.', retried),
  DriverRefused: reason(
    'The driver refuses the request.',
    'Correct what the answer in the message names, then deploy again.',
  ),
  DriverTimeout: reason('The driver did not finish within the time that it announced.', retried),
  DriverUnreachable: reason(
    'The driver did not answer.',
    'The operator retries; check the target and the network if the error stays.',
  ),
  InvalidAnswer: reason(
    'The answer of the driver does not follow the protocol.',
    'Correct the driver; `make driver-contract` tests it.',
  ),
  InvalidCookie: reason(
    'The template `cookie` gives a cookie that is too long.',
    'Shorten the template `cookie` of the definition.',
  ),
  InvalidManifest: reason(
    'A manifest is not a valid Kubernetes object.',
    'Correct the template of the manifest that the message names.',
  ),
  InvalidOutputs: reason(
    'The outputs do not fit the outputs schema of the resource type.',
    'Correct the outputs of the definition, or the schema of the type.',
  ),
  NamespaceNotOpen: reason(
    'The namespace does not accept objects of the organization.',
    'Ask a cluster administrator to label the namespace with `quartermaster.dev/accepts`.',
  ),
  NoTarget: reason(
    'The DNS record has no target.',
    'Give the input `target`, or a `k8s-cluster` resource with the output `loadbalancer`.',
  ),
  NotAllowed: reason('The operator or the account lacks a right.', 'Grant the right that the message names.'),
  NotListed: reason(
    'The cluster does not list the kind of an object now.',
    'The operator retries; repair the API service or the conversion webhook of the kind if the error stays.',
  ),
  NotServed: reason(
    'The cluster does not serve the kind of the object.',
    'Install the CRD, which the operator finds within minutes, or use another API version.',
  ),
  OutcomeUnknown: reason(
    'The answer of the DNS provider was lost, so the operator checks the result.',
    'Nothing to do.',
  ),
  OutputsNotReady: reason(
    'A template waits for a value of a cluster object.',
    'Look at the object that the message names.',
  ),
  OutputsTooLarge: reason('The outputs are larger than the cluster can store.', 'Shorten the outputs.'),
  TooManyInstances: reason(
    'The resource has so many earlier instances that the status cannot record another one.',
    'Return to the definition or inputs of an earlier instance, or correct why no new instance becomes ready.',
  ),
  ProviderUnavailable: reason(
    'The DNS provider did not answer, or answered with a server error.',
    'The operator retries; check the provider if the error stays.',
  ),
  ProvisionFailed: reason(
    'Provisioning failed.',
    'The operator retries; correct what the message names if the error stays.',
  ),
  RateLimited: reason('The DNS provider accepts no more calls with this token now.', 'Wait.'),
  RecordExists: reason(
    'The list of the DNS provider lacks a record of the same name, or shows one that is gone.',
    'Nothing to do.',
  ),
  Rejected: reason(
    'The cluster or the DNS provider rejects the object.',
    'Correct what the message names, then deploy again.',
  ),
  SecretLeak: reason(
    'A value that is not secret contains a secret.',
    'Move the value to a secret output or a Secret.',
  ),
  TargetRefused: reason(
    'The address may not be called.',
    'Change the address, or allow it with `QUARTERMASTER_OUTBOUND_ALLOWED`.',
  ),
  TemplateTooLarge: reason(
    'The templates take too much memory, or give too much.',
    'Simplify the templates that the message names.',
  ),
  TemplateTooSlow: reason(
    'Rendering the templates takes too long.',
    'Simplify the templates that the message names.',
  ),
  TemplatesBusy: reason('Templates of other resources are being rendered.', 'Wait.'),
  TooManyHosts: reason('The Ingresses of the resource have more hosts than allowed.', 'Use fewer hosts.'),
  Unauthorized: reason(
    'The DNS provider does not accept the token of the account.',
    'Renew the token of the account.',
  ),
  WrongZone: reason(
    'The DNS name is outside of the zone.',
    'Correct the input `domain` or `zone_id` of the definition.',
  ),
  ZoneNotFound: reason(
    'The DNS provider has no such zone for this token.',
    'Correct the input `zone_id`, or the rights of the token.',
  ),
  ZoneTooLarge: reason('The zone has more records than the driver can read.', 'Use another zone.'),
}
