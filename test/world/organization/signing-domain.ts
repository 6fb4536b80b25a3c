import type { Db } from '#/base/db/schema.ts'
import { Keyring } from '#/base/secrets/keyring.ts'
import { sealingKey } from '#/base/secrets/seal.ts'
import { insertKeys, markSeen } from '#/domains/checks/queries.ts'
import { makeKeys, type SigningKey, sealedAs } from '#/domains/dkim/make-keys.ts'
import { secret } from '#test/world/installation.ts'
import type { World } from '#test/world/world.ts'
import type { TestOrganization } from './test-organization.ts'

/** Gives the organization's domain DKIM keys, and publishes them in the world's DNS. */
export async function signingDomain(world: World, { id: organizationId, domain }: TestOrganization): Promise<void> {
  for (const { selector, algorithm, publicKey } of await giveKeys(world.db, secret, { organizationId, domain }))
    world.dns.set(`${selector}._domainkey.${domain}`, { txt: [`v=DKIM1; k=${algorithm}; p=${publicKey}`] })
}

/** Gives a domain DKIM keys that sign from now on. */
export async function giveKeys(
  db: Db,
  secret: string,
  { organizationId, domain }: { readonly organizationId: string; readonly domain: string },
): Promise<SigningKey[]> {
  const { id } = await db
    .selectFrom('domains')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('domain', '=', domain)
    .executeTakeFirstOrThrow()
  const keys = await makeKeys(sealingKey(new Keyring(secret), sealedAs))
  const now = new Date()
  await db.transaction().execute(async (tx) => {
    await insertKeys(tx, { organizationId, id }, keys, now)
    const selectors = keys.map(({ selector }) => selector)
    await markSeen(tx, { organizationId, id }, selectors, now)
  })
  return keys
}
