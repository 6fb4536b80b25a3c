import assert from 'node:assert/strict'
import { codeOf, stepAt } from '#/people/sessions/totp/code.ts'
import type { SignedInMember } from './signed-in.ts'

/** The code that a member's application shows at a time. */
export type Application = (now: number) => string

/** An application with the secret that the URI has. */
export function applicationOf(uri: string): Application {
  const text = new URL(uri).searchParams.get('secret') ?? ''
  const bits = Array.from(text, (one) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(one).toString(2).padStart(5, '0'))
  const octets = bits.join('').match(/.{8}/g) ?? []
  const secret = Buffer.from(octets.map((one) => Number.parseInt(one, 2)))
  return (now) => codeOf(secret, stepAt(now))
}

/** Sets up a second factor, at that time. */
export async function setUpTotp(
  session: SignedInMember,
  now: number,
): Promise<{ code: Application; recoveryCodes: readonly string[] }> {
  const begun = await session.request('POST', '/v1/me/totp')
  assert.equal(begun.status, 200, begun.bytes.toString())
  const code = applicationOf(begun.body.uri)
  const { status, body, bytes } = await session.request('POST', '/v1/me/totp/confirm', { code: code(now) })
  assert.equal(status, 200, bytes.toString())
  return { code, recoveryCodes: body.recovery_codes }
}
