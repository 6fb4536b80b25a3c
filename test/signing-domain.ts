import { makeKeys, sealedAs } from '#/domains/dkim.ts'
import { sealingKey } from '#/seal.ts'
import { secret } from './installation.ts'
import type { TestOrganization, World } from './world.ts'

/** Gives the organization's domain DKIM keys, and publishes them in the world's DNS. */
export async function signingDomain(world: World, { id, domain }: TestOrganization): Promise<void> {
  const { id: domainId } = await world.db
    .selectFrom('domains')
    .select('id')
    .where('organization_id', '=', id)
    .where('domain', '=', domain)
    .executeTakeFirstOrThrow()
  for (const { id: keyId, selector, algorithm, publicKey, sealed } of await makeKeys(sealingKey(secret, sealedAs))) {
    const now = new Date()
    await world.db
      .insertInto('dkim_keys')
      .values({
        ...{ id: keyId, organization_id: id, domain_id: domainId, selector, algorithm },
        ...{ public_key: publicKey, private_key: sealed, created_at: now, seen_at: now },
      })
      .execute()
    world.dns.set(`${selector}._domainkey.${domain}`, { txt: [`v=DKIM1; k=${algorithm}; p=${publicKey}`] })
  }
}
