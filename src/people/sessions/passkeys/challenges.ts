import type { Db } from '#/base/db/schema.ts'
import { hashToken, isToken, newToken } from '../token.ts'

/** Milliseconds within which a challenge must be signed; then the browser stops asking. */
export const challengeLivesMs = 300_000

/** The purpose of a challenge, and its session. It is valid for nothing else. */
export type Purpose =
  | { readonly purpose: 'sign_in'; readonly sessionId?: undefined }
  | { readonly purpose: 'add' | 'confirm'; readonly sessionId: string }

/** A new challenge: 256 random bits in base64url. */
export async function newChallenge(db: Db, { purpose, sessionId }: Purpose, now: Date): Promise<string> {
  const challenge = newToken()
  const expires_at = new Date(now.getTime() + challengeLivesMs)
  await db
    .insertInto('passkey_challenges')
    .values({ hash: hashToken(challenge), purpose, session_id: sessionId ?? null, expires_at })
    .execute()
  return challenge
}

/** Uses a challenge up, whether or not the signature is valid. False if it is unknown, expired or for another purpose. Of
 *  two concurrent uses one succeeds. */
export async function useChallenge(
  db: Db,
  challenge: string,
  { purpose, sessionId }: Purpose,
  now: Date,
): Promise<boolean> {
  if (!isToken(challenge)) return false
  const { numDeletedRows } = await db
    .deleteFrom('passkey_challenges')
    .where('hash', '=', hashToken(challenge))
    .where('purpose', '=', purpose)
    .where('session_id', sessionId === undefined ? 'is' : '=', sessionId ?? null)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Deletes expired challenges. */
export async function forgetChallenges(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('passkey_challenges').where('expires_at', '<=', now).execute()
}
