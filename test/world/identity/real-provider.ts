import assert from 'node:assert/strict'
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type Configuration, type KoaContextWithOIDC, Provider } from 'oidc-provider'
import { clientId, clientSecret } from './forged-provider.ts'

/** The provider of the package oidc-provider, with a sign-in page that asks for no password. */
export class RealProvider implements AsyncDisposable {
  readonly issuer: string
  /** Claims by subject. */
  readonly people = new Map<string, Readonly<Record<string, unknown>>>()
  readonly #server: Server
  readonly #cookieKey = randomBytes(16).toString('hex')
  #redirectUri = ''
  #answer: RequestListener = (_, response) => void response.writeHead(503).end()

  private constructor(server: Server) {
    this.#server = server
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on('request', (request, response) => void this.#answer(request, response))
  }

  static async start(): Promise<RealProvider> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new RealProvider(server)
  }

  get env(): Record<string, string> {
    return {
      MAILROOM_OIDC_ISSUER: this.issuer,
      MAILROOM_OIDC_CLIENT_ID: clientId,
      MAILROOM_OIDC_CLIENT_SECRET: clientSecret,
      MAILROOM_OIDC_NAME: 'Acme',
      MAILROOM_OIDC_SCOPES: 'openid email profile groups',
    }
  }

  /** Serves a client of that address; who is signed in stays so. */
  serve(base: string): void {
    this.#redirectUri = `${base}/v1/session/single-sign-on/callback`
    const provider = new Provider(this.issuer, this.#configuration())
    const callback = provider.callback()
    this.#answer = (request, response) => {
      if (request.url?.startsWith('/interaction/')) void this.#interact(provider, request, response)
      else callback(request, response)
    }
  }

  /** Like `serve`, with new keys alone. */
  rotateKeys(): void {
    this.serve(new URL(this.#redirectUri).origin)
  }

  #configuration(): Configuration {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
    const { people } = this
    return {
      clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [this.#redirectUri] }],
      jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), use: 'sig' }] },
      cookies: { keys: [this.#cookieKey] },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
      findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId, ...people.get(accountId) }) }),
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      loadExistingGrant: consent,
    } as Configuration
  }

  async #interact(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'POST') {
      const accountId = new URLSearchParams(await text(request)).get('who') ?? ''
      return await provider.interactionFinished(request, response, { login: { accountId } })
    }
    response.writeHead(200, { 'content-type': 'text/html' }).end(page)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}

const page = `<!doctype html><title>Acme</title><form method="post">
  <label>Who are you? <input name="who"></label> <button>Go on</button></form>`

/** Consent is given without asking. */
async function consent({ oidc }: KoaContextWithOIDC) {
  const { client, session, provider } = oidc
  assert.ok(client && session)
  const { accountId } = session
  const grant = new provider.Grant({ clientId: client.clientId, ...(accountId && { accountId }) })
  grant.addOIDCScope('openid email profile groups')
  await grant.save()
  return grant
}

/** A browser at that provider, with the cookies that it has set. */
export class BrowserThere {
  readonly #cookies = new Map<string, string>()
  /** How often the person has signed in. */
  asked = 0

  /** Follows the provider until it sends the browser back. `who` is the subject that the person says to be. */
  async goThere(url: string, who: string): Promise<string> {
    const { origin } = new URL(url)
    for (let next = url; ; ) {
      const response = await this.#fetch(next)
      const location = response.headers.get('location')
      if (location === null) {
        assert.match(next, /\/interaction\//, `${response.status}: ${await response.text()}`)
        this.asked += 1
        next = await this.#led(await this.#fetch(next, { method: 'POST', body: new URLSearchParams({ who }) }), next)
      } else next = new URL(location, next).href
      if (new URL(next).origin !== origin) return next
    }
  }

  async #led(response: Response, from: string): Promise<string> {
    const location = response.headers.get('location')
    assert.ok(location, await response.text())
    return new URL(location, from).href
  }

  async #fetch(url: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.#cookies].map((pair) => pair.join('=')).join('; ')
    const response = await fetch(url, { redirect: 'manual', ...init, headers: { cookie } })
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (value === '') this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
    return response
  }
}
