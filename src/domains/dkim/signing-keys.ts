import { createPrivateKey, type KeyObject } from 'node:crypto'
import { sql } from 'kysely'
import QuickLRU from 'quick-lru'
import type { Db } from '#/base/db/schema.ts'
import { type SealingKey, unseal } from '#/base/secrets/seal.ts'

/** An unsealed signing key. */
export interface OpenKey {
  readonly domain: string
  readonly selector: string
  readonly algorithm: 'rsa' | 'ed25519'
  readonly privateKey: KeyObject
}

/** Finds the keys that sign for a domain of the organization. */
export type SigningKeys = (organizationId: string, domain: string) => Promise<readonly OpenKey[]>

/** Unsealed keys by id. The first signature of an RSA key takes 0.7 ms more. */
const opened = new QuickLRU<string, KeyObject>({ maxSize: 1_000 })

/** The signing keys for a verified domain of the organization: the newest of each kind whose record was found. */
export async function signingKeys(db: Db, key: SealingKey, organizationId: string, domain: string): Promise<OpenKey[]> {
  const { rows } = await sql<{ id: string; selector: string; algorithm: OpenKey['algorithm']; sealed: Buffer }>`
    select distinct on (one.algorithm) one.id, one.selector, one.algorithm, one.private_key as sealed
    from domains home join dkim_keys one on one.domain_id = home.id and one.organization_id = home.organization_id
    where home.organization_id = ${organizationId} and home.domain = ${domain} and home.status = 'verified'
      and one.seen_at is not null
    order by one.algorithm desc, one.created_at desc, one.id desc`.execute(db)
  return rows.map(({ id, selector, algorithm, sealed }) => {
    const privateKey =
      opened.get(id) ?? createPrivateKey({ key: unseal(key, id, sealed), format: 'der', type: 'pkcs8' })
    opened.set(id, privateKey)
    return { domain, selector, algorithm, privateKey }
  })
}
