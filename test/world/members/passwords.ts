import assert from 'node:assert/strict'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import type { Answer } from '#test/world/sockets/http-client.ts'
import type { World } from '#test/world/world.ts'
import { cookieIn, SignedInMember, signIn } from './signed-in.ts'

export const password = 'correct horse battery staple'

/** A member with that password, and the session in which they have set it. */
export async function withPassword(
  organization: TestOrganization,
  email: string,
  { secret = password, role = 'member' as 'owner' | 'admin' | 'member' } = {},
): Promise<SignedInMember> {
  const { id } = await organization.member(email, role)
  const session = await signIn(organization, id)
  const { status, bytes } = await session.request('PUT', '/v1/me/password', { password: secret })
  assert.equal(status, 200, bytes.toString())
  return session
}

/** Signs in with an address and a password, from another address where one is given. */
export function tryPassword(
  { client }: Pick<World, 'client'>,
  body: { email: string; password?: string; organization?: string; code?: string },
  from?: string,
): Promise<Answer> {
  return client.request('POST', '/v1/session', {
    body: { password, ...body },
    headers: from === undefined ? {} : { 'x-forwarded-for': from },
  })
}

/** The session that a sign-in has opened. */
export function sessionIn(answer: Answer, { client }: Pick<World, 'client'>): SignedInMember {
  assert.equal(answer.status, 201, answer.bytes.toString())
  return new SignedInMember(answer.body.id, cookieIn(answer), client)
}
