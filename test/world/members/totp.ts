import assert from 'node:assert/strict'
import { type TOTP, URI } from 'otpauth'
import type { SignedInMember } from './signed-in.ts'

/** The code that a member's application shows at a time. */
export type Application = (now: number) => string

/** An application with the secret that the URI has. */
export function applicationOf(uri: string): Application {
  const codes = URI.parse(uri) as TOTP
  return (now) => codes.generate({ timestamp: now })
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
