/** Who makes a change. Every function that changes settings takes one, and passes it to `record`. */
export interface Actor {
  readonly kind: 'key' | 'operator' | 'member' | 'service' | 'single_sign_on'
  /** Of the key or member. */
  readonly id: string | null
  /** A key's first eight and last four characters, with its name; a member's address; the name of a provider of single
   *  sign-on. */
  readonly name: string
  /** The client's address, if any. */
  readonly address: string | null
}

/** The operator, who runs commands. */
export const byOperator: Actor = { kind: 'operator', id: null, name: '', address: null }

/** Mailroom itself. */
export const byService: Actor = { kind: 'service', id: null, name: '', address: null }
