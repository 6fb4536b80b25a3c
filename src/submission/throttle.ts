/** What has failed in the last hour where somebody logs in, the same password again not counted. */
export interface Failures {
  /** From this client with this login. */
  readonly together: number
  /** From this client with any login. */
  readonly client: number
  /** With this login from any client. */
  readonly login: number
  /** The client has logged in with this login in the last month. */
  readonly known: boolean
}

/** How many guesses there are in an hour. */
export const most = {
  /** For a client with one login. */
  together: 10,
  /** For a client with all logins: who guesses a common password for many is slowed, too. */
  client: 30,
  /** For all clients with one login: from then on each of them has one. */
  login: 50,
}

/**
 * Whether a password is not even looked at. Whoever comes for the first time in an hour always has a guess, and who was let
 * in from there lately has `most.together`, whatever others do: so nobody is locked out by guesses that come from elsewhere.
 */
export function isThrottled({ together, client, login, known }: Failures): boolean {
  if (together >= most.together) return true
  if (known || together + client === 0) return false
  return client >= most.client || (login >= most.login && together > 0)
}
