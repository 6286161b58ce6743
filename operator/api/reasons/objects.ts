import { reason } from './text.ts'

/** Why an object cannot be used as it is written. */
export const objectReasons = {
  AccountNotFound: reason(
    'The account that a definition names does not exist.',
    'Create the account, or name another one.',
  ),
  AccountRequired: reason(
    'The driver needs an account, and the definition names none.',
    'Name an account in the definition.',
  ),
  ApplicationNotFound: reason(
    'The application that the object belongs to does not exist.',
    'Create the application.',
  ),
  DoubtfulCriteria: reason(
    'A criterion of the definition has a value that nothing can have.',
    'Name one id in each value, and leave out a key that may have any.',
  ),
  DoubtfulInputs: reason(
    'The inputs of the definition, or those that a driver gives the one that it wraps, are accepted, with a warning.',
    'Follow the message, or ignore it.',
  ),
  DoubtfulSchema: reason(
    'The schemas of the type are accepted, with a warning.',
    'Follow the message, or ignore it.',
  ),
  DuplicateCriterion: reason(
    'An older definition of the same type has an equal criterion.',
    'Change or remove one of the two criteria.',
  ),
  DuplicateRegistry: reason(
    'An older object is for the same registry.',
    'Remove one of the two, or change its registry.',
  ),
  DuplicateValue: reason(
    'An older shared value has the same key in the same place.',
    'Remove one of the two, or change its key.',
  ),
  EnvironmentNotFound: reason(
    'The environment that the object names does not exist.',
    'Create the environment.',
  ),
  EnvironmentTypeNotFound: reason(
    'The type of the environment does not exist.',
    'Create the environment type, or choose another one.',
  ),
  InvalidAccount: reason(
    'The account does not have the credentials that the driver needs.',
    'Correct the credentials of the account.',
  ),
  InvalidCertificate: reason(
    'The TLS certificate does not fit the domain, its key or the current date.',
    'Provide a certificate without the problems that the message lists.',
  ),
  InvalidInputs: reason(
    'The inputs do not fit the schema of the driver.',
    'Correct the driver inputs of the definition, then deploy again.',
  ),
  InvalidName: reason('A name does not have the form that names of its kind have.', 'Choose another name.'),
  InvalidPlaceholder: reason(
    'A placeholder is malformed, or cannot be used where it is.',
    'Correct the placeholder that the message names.',
  ),
  InvalidReference: reason(
    'A resource reference in a definition is malformed.',
    'Correct the reference that the message names.',
  ),
  InvalidSchema: reason(
    'A schema is not valid JSON Schema, or uses a feature that is not supported.',
    'Correct the schema.',
  ),
  InvalidRule: reason(
    'A pattern of the automation rule is not valid, or fields exclude each other.',
    'Correct the field that the message names.',
  ),
  InvalidSecret: reason(
    'The content of a Secret does not have the expected form.',
    'Correct the Secret that the message names.',
  ),
  InvalidSigningSecret: reason(
    'The Secret that signs the calls of the webhook cannot be used.',
    'Correct the Secret that the message names.',
  ),
  InvalidTarget: reason(
    'The target of a driver is not a valid HTTP URL.',
    'Correct the target of the ResourceDriver.',
  ),
  InvalidTemplate: reason(
    'A template cannot be parsed or rendered.',
    'Correct the template that the message names, then deploy again.',
  ),
  InvalidWebhook: reason(
    'The URL, a header, the payload or a trigger of the webhook is not valid.',
    'Correct the field that the message names.',
  ),
  RegistryNotSupported: reason(
    'Images of the registry cannot be pulled with the credentials as they are given.',
    'Follow the message.',
  ),
  InvalidWorkload: reason(
    'The Score document of the Workload is not valid.',
    'Correct the fields that the message names.',
  ),
  ModuleTaken: reason(
    'A delta deployed a module of the name of the Workload.',
    'Set `adopt` in the spec to take the module over, or remove it by a delta.',
  ),
  SharedConflict: reason(
    'A Workload needs a shared resource with another type, class or params than another workload or a delta.',
    'Use the same values, or another id.',
  ),
  SecretKeyNotFound: reason(
    'A Secret does not have the key that a reference names.',
    'Add the key to the Secret, or correct the reference.',
  ),
  SecretNotFound: reason(
    'A Secret that the object refers to does not exist.',
    'Create the Secret, or correct the reference.',
  ),
  StoreNotFound: reason(
    'The secret store that a reference names is not known.',
    'Use a Secret of the cluster instead.',
  ),
  TypeNotFound: reason('The resource type does not exist.', 'Create the resource type, or correct its name.'),
  UnknownDriver: reason(
    'The driver does not exist.',
    'Create the ResourceDriver, or correct the driver type of the definition.',
  ),
  WrongAccountType: reason(
    'The account has a type that the driver does not accept.',
    'Name an account of a type that the message lists.',
  ),
  WrongType: reason(
    'The driver does not provision resources of the type of the definition.',
    'Change the type or the driver of the definition.',
  ),
  Disabled: reason(
    'The webhook is disabled, so the call is not delivered.',
    'Enable the webhook, then redeliver the call.',
  ),
  Gone: reason(
    'The receiver answered 410: the address no longer exists.',
    'Change the URL of the webhook, or delete the webhook.',
  ),
  GivenUp: reason(
    'The call could not be delivered within the allowed time.',
    'Correct the receiver, then redeliver the call.',
  ),
  NotDelivered: reason(
    'The receiver did not accept the call.',
    'The operator retries; check the receiver if the error stays.',
  ),
  WebhookNotFound: reason('The webhook of the call was deleted.', 'Nothing to do.'),
  WebhookNotReady: reason('The webhook of the call is not ready.', 'Look at the conditions of the webhook.'),
}
