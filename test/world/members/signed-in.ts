import assert from 'node:assert/strict'
import { makeLink } from '#/people/sessions/invitation/link.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import type { Answer, HttpClient, RequestOptions } from '#test/world/sockets/http-client.ts'
import type { World } from '#test/world/world.ts'

/** The field that a browser adds to a request of the service's own page. */
export const fromOurPage = { 'sec-fetch-site': 'same-origin' }

/** A member with a session, as a browser on the same machine has it. */
export class SignedInMember {
  readonly id: string
  readonly cookie: string
  readonly #client: HttpClient

  constructor(id: string, cookie: string, client: HttpClient) {
    this.id = id
    this.cookie = cookie
    this.#client = client
  }

  /** A request of a page of the service. */
  request(method: string, path: string, body?: unknown, { headers, ...options }: RequestOptions = {}): Promise<Answer> {
    return this.#client.request(method, path, {
      ...{ headers: { cookie: this.cookie, ...fromOurPage, ...headers } },
      ...(body !== undefined && { body }),
      ...options,
    })
  }
}

/** A new link for a member. */
export async function linkFor(organization: TestOrganization, memberId: string): Promise<string> {
  const { db, base, clock } = organization.world
  const { link } = await makeLink(db, { organizationId: organization.id, memberId }, { base, now: clock.now() })
  return link
}

/** Signs a member in by a new link. */
export async function signIn(
  organization: TestOrganization,
  memberId: string,
  { client }: Pick<World, 'client'> = organization.world,
): Promise<SignedInMember> {
  const body = { link: await linkFor(organization, memberId) }
  const answer = await client.request('POST', '/v1/session', { body })
  assert.equal(answer.status, 201, answer.bytes.toString())
  return new SignedInMember(memberId, cookieIn(answer), client)
}

/** What a browser sends after an answer that sets a cookie. */
export function cookieIn({ headers }: Answer): string {
  const [pair = ''] = (headers.get('set-cookie') ?? '').split(';')
  return pair
}
