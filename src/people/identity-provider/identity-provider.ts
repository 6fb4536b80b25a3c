/** A request to a provider. Each is used once. */
export interface IdentityRequest {
  /** Where the provider redirects the browser with its answer. */
  readonly redirectUri: string
  /** The state of the answer, the nonce in the token, the verifier of PKCE (RFC 7636): new for each request. */
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  /** The address of the member who has to sign in again there. Undefined if a session at the provider is enough. */
  readonly anewAs: string | undefined
}

/** The person who has signed in at a provider. */
export interface Identity {
  /** The issuer's permanent identifier of the person. */
  readonly subject: string
  /** Undefined if the provider gives none, or has not verified it. */
  readonly address: string | undefined
  /** Empty if the provider gives none. */
  readonly name: string
  readonly groups: readonly string[]
  /** When they signed in there; undefined if the provider does not say. */
  readonly authenticatedAt: Date | undefined
}

/** Why a person is not identified: the provider did not answer or refused, or its answer is not valid for this request. */
export class IdentityFailure extends Error {
  readonly reason: 'unavailable' | 'refused' | 'invalid'

  constructor(reason: IdentityFailure['reason'], message: string) {
    super(message)
    this.name = 'IdentityFailure'
    this.reason = reason
  }
}

/** A provider of identities. Each method throws `IdentityFailure`. The provider is not contacted before the first call. */
export interface IdentityProvider {
  readonly issuer: string
  /** The name by which people know it. */
  readonly name: string
  /** The URL to redirect a browser to. */
  authorizationUrl(request: IdentityRequest): Promise<string>
  /** The person whose browser brought the answer to this URL. */
  identify(answer: URL, request: IdentityRequest): Promise<Identity>
}
