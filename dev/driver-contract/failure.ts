/** The driver does not keep the contract; the message says in what. */
export class Failure extends Error {}

/** The case has nothing to look at with this driver or these inputs. */
export class Skipped extends Error {}
