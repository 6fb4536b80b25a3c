import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export const clientId = 'mailroom'
export const clientSecret = 'a secret of the client: 100 %'

interface Key {
  readonly kid: string
  readonly privateKey: KeyObject
  readonly jwk: object
}

/** An answer in place of the usual one; `hang up` gives none. */
type Answer = 'hang up' | { readonly status?: number; readonly body?: unknown }

/** A provider of OpenID Connect that a test controls, right or wrong. There is no sign-in page: `answerTo` names the person. */
export class ForgedProvider implements AsyncDisposable {
  readonly issuer: string
  /** The last one signs. */
  keys: Key[] = [newKey()]
  /** The published keys; by default all. */
  published: Key[] | undefined
  /** Paths in place of their usual answers. */
  readonly answers = new Map<string, Answer>()
  /** Changes the claims of ID tokens. */
  claims: (usual: Record<string, unknown>) => Record<string, unknown> = (usual) => usual
  /** Changes the header of ID tokens, and their signature. */
  header: (usual: object) => object = (usual) => usual
  signature: (usual: string, signed: string) => string = (usual) => usual
  userinfo: Record<string, unknown> | undefined
  /** By the service's clock. */
  now = () => Date.now()
  readonly asked: string[] = []
  /** Where the client's secret was. */
  readonly authentications: ('header' | 'body')[] = []
  readonly #server: Server
  readonly #codes = new Map<string, { request: URLSearchParams; claims: object }>()

  private constructor(server: Server) {
    this.#server = server
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on('request', (request: IncomingMessage, response) => {
      const failed = () => ({ status: 500, body: {} })
      void this.#answer(request)
        .catch(failed)
        .then((answer) => {
          if (answer === 'hang up') return void request.socket.destroy()
          const { status = 200, body } = answer
          response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
        })
    })
  }

  static async start(): Promise<ForgedProvider> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new ForgedProvider(server)
  }

  /** The settings of a service that signs in by it. */
  get env(): Record<string, string> {
    return {
      MAILROOM_OIDC_ISSUER: this.issuer,
      MAILROOM_OIDC_CLIENT_ID: clientId,
      MAILROOM_OIDC_CLIENT_SECRET: clientSecret,
      MAILROOM_OIDC_NAME: 'The forge',
    }
  }

  /** The URL by which a browser that was sent to `url` comes back once somebody with these claims has signed in. */
  answerTo(url: string, claims: object, parameters: Record<string, string> = {}): string {
    const request = new URL(url).searchParams
    const code = randomUUID()
    this.#codes.set(code, { request, claims })
    const answer = new URL(request.get('redirect_uri') ?? '')
    const usual = { code, state: request.get('state') ?? '', iss: this.issuer }
    for (const [name, value] of Object.entries({ ...usual, ...parameters })) answer.searchParams.set(name, value)
    return answer.href
  }

  /** Signs with a new key from now on, and publishes that alone. */
  rotate(): void {
    this.keys = [newKey()]
  }

  async #answer(request: IncomingMessage): Promise<Answer> {
    const path = request.url ?? ''
    this.asked.push(path)
    const prepared = this.answers.get(path)
    if (prepared) return prepared
    switch (path) {
      case '/.well-known/openid-configuration':
        return { body: this.metadata() }
      case '/jwks':
        return { body: { keys: (this.published ?? this.keys).map(({ jwk }) => jwk) } }
      case '/token':
        return this.#token(request.headers.authorization, new URLSearchParams(await text(request)))
      case '/userinfo':
        return { body: this.userinfo }
      default:
        return { status: 404, body: {} }
    }
  }

  get publicKey(): string {
    const { privateKey } = this.keys[0] ?? newKey()
    return createPublicKey(privateKey).export({ format: 'pem', type: 'spki' }).toString()
  }

  metadata() {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      jwks_uri: `${this.issuer}/jwks`,
      ...(this.userinfo && { userinfo_endpoint: `${this.issuer}/userinfo` }),
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      authorization_response_iss_parameter_supported: true,
    }
  }

  #token(authorization: string | undefined, body: URLSearchParams): Answer {
    const code = this.#codes.get(body.get('code') ?? '')
    this.#codes.delete(body.get('code') ?? '')
    const { request, claims } = code ?? { request: new URLSearchParams(), claims: {} }
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url')
    const credentials = [clientId, clientSecret]
      .map((one) => new URLSearchParams({ one }).toString().slice(4))
      .join(':')
    const inHeader = authorization === `Basic ${Buffer.from(credentials).toString('base64')}`
    this.authentications.push(inHeader ? 'header' : 'body')
    const isRight =
      challenge === request.get('code_challenge') &&
      body.get('redirect_uri') === request.get('redirect_uri') &&
      (inHeader || body.get('client_secret') === clientSecret)
    if (!code || !isRight) return { status: 400, body: { error: 'invalid_grant' } }
    const id_token = this.#idToken({ nonce: request.get('nonce'), ...claims })
    return { body: { access_token: 'x', token_type: 'Bearer', expires_in: 60, id_token } }
  }

  #idToken(claims: object): string {
    const now = Math.floor(this.now() / 1_000)
    const key = this.keys.at(-1)
    const usual = { iss: this.issuer, aud: clientId, iat: now, exp: now + 300, ...claims }
    const octets = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
    const signed = `${octets(this.header({ alg: 'RS256', kid: key?.kid }))}.${octets(this.claims(usual))}`
    const made = key ? sign('sha256', Buffer.from(signed), key.privateKey).toString('base64url') : ''
    return `${signed}.${this.signature(made, signed)}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}

export function newKey(): Key {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const kid = randomUUID()
  return { kid, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' } }
}
