import * as oidc from 'openid-client'
import type { Clock } from '#/base/clock/clock.ts'
import {
  type Identity,
  IdentityFailure,
  type IdentityProvider,
  type IdentityRequest,
} from '#/people/identity-provider/identity-provider.ts'
import type { SingleSignOn } from './single-sign-on.ts'

const discoveryLivesMs = 3_600_000
const patienceSeconds = 10

/** Makes a provider report when the person signed in there (OpenID Connect Core 1.0, section 2, `auth_time`). */
const oldestSignInSeconds = 30 * 86_400

type Claims = Readonly<Record<string, unknown>>

/** A provider of OpenID Connect, using the authorization code flow with PKCE. */
export class OpenIdConnect implements IdentityProvider {
  readonly #settings: SingleSignOn
  readonly #secret: string | undefined
  readonly #clock: Clock
  #discovered: { readonly at: number; readonly server: oidc.ServerMetadata } | undefined

  constructor(settings: SingleSignOn, secret: string | undefined, clock: Clock) {
    this.#settings = settings
    this.#secret = secret
    this.#clock = clock
  }

  get issuer(): string {
    return this.#settings.issuer
  }

  get name(): string {
    return this.#settings.name
  }

  async authorizationUrl({ redirectUri, state, nonce, verifier, anewAs }: IdentityRequest): Promise<string> {
    return await this.#attempt(async (configuration) => {
      const url = oidc.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: this.#settings.scopes,
        ...{ state, nonce },
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(anewAs === undefined
          ? { max_age: String(oldestSignInSeconds) }
          : { prompt: 'login', max_age: '0', login_hint: anewAs }),
      })
      return url.href
    })
  }

  async identify(answer: URL, { state, nonce, verifier }: IdentityRequest): Promise<Identity> {
    return await this.#attempt(async (configuration) => {
      const tokens = await oidc.authorizationCodeGrant(configuration, answer, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
      })
      const claims = tokens.claims()
      if (!claims) throw new IdentityFailure('invalid', 'The provider gave no ID token')
      const { addressClaim, groupsClaim, ownerGroup, adminGroup } = this.#settings
      const wanted = [addressClaim, ...((ownerGroup ?? adminGroup) ? [groupsClaim] : [])]
      const isWhole = wanted.every((claim) => claims[claim] !== undefined)
      if (isWhole || configuration.serverMetadata().userinfo_endpoint === undefined) return this.#identityIn(claims)
      const more = await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub)
      return this.#identityIn({ ...more, ...claims })
    })
  }

  #identityIn(claims: Claims): Identity {
    const { addressClaim, groupsClaim } = this.#settings
    const { sub, name, auth_time: at } = claims
    const address = claims[addressClaim]
    const isVerified = addressClaim !== 'email' || claims.email_verified === true
    return {
      subject: String(sub),
      address: isVerified && typeof address === 'string' ? address : undefined,
      name: typeof name === 'string' ? name : '',
      groups: [claims[groupsClaim]].flat().filter((group) => typeof group === 'string'),
      authenticatedAt: typeof at === 'number' ? new Date(at * 1_000) : undefined,
    }
  }

  /** A failure may mean that the provider has moved its endpoints, so the next attempt reads them again. */
  async #attempt<T>(work: (configuration: oidc.Configuration) => Promise<T>): Promise<T> {
    try {
      return await work(await this.#configuration())
    } catch (error) {
      this.#discovered = undefined
      throw failureOf(error)
    }
  }

  /** New for each use: it has no cached keys and fetches the provider's current ones. */
  async #configuration(): Promise<oidc.Configuration> {
    const { issuer, clientId } = this.#settings
    const isLocal = issuer.startsWith('http:')
    const now = this.#clock.now()
    if (this.#discovered === undefined || now >= this.#discovered.at + discoveryLivesMs) {
      const found = await oidc.discovery(new URL(issuer), clientId, undefined, oidc.None(), {
        timeout: patienceSeconds,
        execute: isLocal ? [oidc.allowInsecureRequests] : [],
      })
      this.#discovered = { at: now, server: found.serverMetadata() }
    }
    const clockSkew = Math.round((now - Date.now()) / 1_000)
    const configuration = new oidc.Configuration(
      this.#discovered.server,
      clientId,
      { [oidc.clockSkew]: clockSkew },
      authenticationBy(this.#secret),
    )
    configuration.timeout = patienceSeconds
    // Verifies the signature too, although the token comes directly from the provider.
    oidc.enableNonRepudiationChecks(configuration)
    if (isLocal) oidc.allowInsecureRequests(configuration)
    return configuration
  }
}

/** In the header, unless the provider accepts it in the body only. */
function authenticationBy(secret: string | undefined): oidc.ClientAuth {
  if (secret === undefined) return oidc.None()
  const [inHeader, inBody] = [oidc.ClientSecretBasic(secret), oidc.ClientSecretPost(secret)]
  return (server, ...rest) => {
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server
    return (methods.includes('client_secret_basic') ? inHeader : inBody)(server, ...rest)
  }
}

/** Contains nothing that the provider or the browser sent. */
function failureOf(error: unknown): IdentityFailure {
  if (error instanceof IdentityFailure) return error
  if (error instanceof oidc.AuthorizationResponseError) {
    return new IdentityFailure('refused', `The provider refused: ${codeIn(error.error)}`)
  }
  if (error instanceof oidc.ResponseBodyError) {
    return new IdentityFailure('invalid', `The provider answered ${error.status}: ${codeIn(error.error)}`)
  }
  const { message, code, cause } = error as Error & { code?: string; cause?: unknown }
  if (cause instanceof Response) return new IdentityFailure('unavailable', `The provider answered ${cause.status}`)
  const isAway = error instanceof TypeError || code === 'OAUTH_TIMEOUT' || code === 'OAUTH_ABORT'
  const why = cause instanceof Error ? `${message}: ${cause.message}` : message
  return new IdentityFailure(isAway ? 'unavailable' : 'invalid', why)
}

function codeIn(text: string): string {
  return /^[\w.-]{1,60}$/.test(text) ? text : 'for a reason that is no code'
}
