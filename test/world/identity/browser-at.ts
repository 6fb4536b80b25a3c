import assert from 'node:assert/strict'
import { fromOurPage, SignedInMember } from '#test/world/members/signed-in.ts'
import type { Answer, HttpClient } from '#test/world/sockets/http-client.ts'
import type { World } from '#test/world/world.ts'
import type { ForgedProvider } from './forged-provider.ts'

/** The page that a browser was led to, and its content. */
export interface Arrived {
  readonly path: string
  readonly failed: string | null
}

/** A browser, as far as single sign-on needs one: it keeps cookies, and goes where it is sent. */
export class BrowserAt {
  readonly cookies = new Map<string, string>()
  readonly #client: HttpClient
  readonly #base: string

  constructor({ client, base }: Pick<World, 'client' | 'base'>) {
    this.#client = client
    this.#base = base
  }

  /** A request of one of our pages. */
  async request(method: string, path: string, body?: object): Promise<Answer> {
    const options = { headers: { cookie: this.cookie, ...fromOurPage }, ...(body && { body }) }
    return this.#keep(await this.#client.request(method, path, options))
  }

  /** Begins a sign-in: the URL at the provider. */
  async begin(body: object = {}): Promise<string> {
    const answer = await this.request('POST', '/v1/session/single-sign-on', body)
    assert.equal(answer.status, 200, answer.bytes.toString())
    return answer.body.url
  }

  async beginToConfirm(): Promise<string> {
    const answer = await this.request('POST', '/v1/session/confirm/single-sign-on')
    assert.equal(answer.status, 200, answer.bytes.toString())
    return answer.body.url
  }

  /** Comes back from the provider, with a page of another site behind it. */
  async comeBack(url: string): Promise<Arrived> {
    const headers = { cookie: this.cookie, 'sec-fetch-site': 'cross-site' }
    const response = await fetch(url, { redirect: 'manual', headers })
    assert.equal(response.status, 303, await response.text())
    this.#keep({ headers: response.headers })
    const location = new URL(response.headers.get('location') ?? '')
    assert.equal(location.origin, this.#base)
    return { path: location.pathname, failed: location.searchParams.get('failed') }
  }

  /** Signs in as the person with these claims at the provider. */
  async signIn(forge: ForgedProvider, claims: object, body?: object): Promise<Arrived> {
    return await this.comeBack(forge.answerTo(await this.begin(body), claims))
  }

  get cookie(): string {
    return [...this.cookies].map((pair) => pair.join('=')).join('; ')
  }

  /** The member who is signed in. */
  async member(): Promise<SignedInMember> {
    const { status, body } = await this.request('GET', '/v1/me')
    assert.equal(status, 200)
    return new SignedInMember(body.id, this.cookie, this.#client)
  }

  #keep<T extends { readonly headers: Headers }>(answer: T): T {
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = '', rest = ''] = /^([^=]+)=([^;]*)(.*)$/.exec(set) ?? []
      assert.match(rest, /; HttpOnly; SameSite=Lax/)
      if (value === '') this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return answer
  }
}
