import type { Db } from '#/base/db/schema.ts'
import type { Identity } from '#/http/access/authorize.ts'
import { keyIdentity } from '#/people/keys/authenticate.ts'
import { memberIdentity } from '#/people/sessions/authenticate.ts'

/** Whose rights a webhook has: those of a key or of a member. */
export interface Reader {
  readonly organizationId: string
  readonly keyId: string | null
  readonly memberId: string | null
}

/** The current identity of a webhook; undefined once they may no longer have webhooks. */
export async function identityOf(
  db: Db,
  { organizationId, keyId, memberId }: Reader,
  now: Date,
): Promise<Identity | undefined> {
  const identity =
    keyId !== null
      ? await keyIdentity(db, { organizationId, keyId }, now)
      : memberId === null
        ? undefined
        : await memberIdentity(db, { organizationId, memberId })
  return identity?.scopes.has('webhooks:write') ? identity : undefined
}
