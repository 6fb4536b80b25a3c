/** Failed logins of the last hour. The same wrong password counts once. */
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

/** Limits for an hour. */
export const most = {
  /** For a client with one login. */
  together: 10,
  /** For a client with all logins together, against guessing a common password for many. */
  client: 30,
  /** For all clients with one login together. After that each client has one guess. */
  login: 50,
}

/**
 * Whether a password is not verified. A client always has one guess an hour, and a client that logged in lately has
 * `most.together`, whatever other clients do: guesses from elsewhere do not lock it out.
 */
export function isThrottled({ together, client, login, known }: Failures): boolean {
  if (together >= most.together) return true
  if (known || together + client === 0) return false
  return client >= most.client || (login >= most.login && together > 0)
}
