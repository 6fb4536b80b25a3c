/** What a provider is asked, once. */
export interface IdentityRequest {
  /** Where it sends the browser with its answer. */
  readonly redirectUri: string
  /** With which the answer comes back; the value in the token; the verifier of PKCE (RFC 7636): all new for each. */
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  /** Whose sign-in there has to be a new one, by address. Undefined: a session at the provider will do. */
  readonly anewAs: string | undefined
}

/** Who has signed in at a provider. */
export interface Identity {
  /** Names the person at this issuer for good. */
  readonly subject: string
  /** Undefined where the provider names none, or has not verified it. */
  readonly address: string | undefined
  /** Empty where the provider says none. */
  readonly name: string
  readonly groups: readonly string[]
  /** When they signed in there; undefined where the provider does not say. */
  readonly authenticatedAt: Date | undefined
}

/** Why nobody is identified: the provider did not answer, or refused, or what came is not its valid answer to this request. */
export class IdentityFailure extends Error {
  readonly reason: 'unavailable' | 'refused' | 'invalid'

  constructor(reason: IdentityFailure['reason'], message: string) {
    super(message)
    this.name = 'IdentityFailure'
    this.reason = reason
  }
}

/** Who says who somebody is. Each method throws `IdentityFailure`, and asks nothing of the provider before it is called. */
export interface IdentityProvider {
  readonly issuer: string
  /** What people know it as. */
  readonly name: string
  /** Where a browser is sent. */
  authorizationUrl(request: IdentityRequest): Promise<string>
  /** Who the person is with whose browser the answer came, to this URL. */
  identify(answer: URL, request: IdentityRequest): Promise<Identity>
}
