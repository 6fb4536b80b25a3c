import type { Actor } from '#/base/audit/actor.ts'
import { record } from '#/base/audit/record.ts'
import type { Db } from '#/base/db/schema.ts'
import type { SharedTime } from '#/base/db/time.ts'
import { invalid, notFound } from '#/base/errors.ts'
import type { SealingKey } from '#/base/secrets/seal.ts'
import { insertKeys } from '../checks/queries.ts'
import type { Domain } from '../domain.ts'
import { checkSoon, deleteKeys, domainById, lockDomain } from '../queries.ts'
import { makeKeys } from './make-keys.ts'

export interface Rotation {
  readonly db: Db
  readonly time: SharedTime
  readonly sealingKey: SealingKey
  /** How long the owner of the domain has to publish the new records, in milliseconds. */
  readonly firstCheckAfter: number
}

/** Makes a new pair of signing keys, to be published beside the old one. The old keys sign until the new ones are found, and
 *  then retire. New keys that were never found are replaced: they have signed nothing. */
export async function rotateKeys(at: Rotation, { organizationId, id, domain }: Domain, by: Actor): Promise<Domain> {
  const keys = await makeKeys(at.sealingKey)
  return await at.db.transaction().execute(async (tx) => {
    await lockDomain(tx, organizationId, id)
    const before = await domainById(tx, organizationId, id)
    if (!before) throw notFound('domain')
    if (before.standing.status === 'failed') throw invalid('domain', `The enrolment of ${domain} has failed`)
    if (before.keys.length === 0)
      throw invalid('domain', `${domain} has no keys yet`, 'Wait for its first check, which creates them')
    const now = await at.time(tx)
    await deleteKeys(tx, organizationId, id, true)
    await insertKeys(tx, { organizationId, id }, keys, now)
    await checkSoon(tx, organizationId, id, new Date(now.getTime() + at.firstCheckAfter))
    const after = await domainById(tx, organizationId, id)
    if (!after) throw notFound('domain')
    await record(tx, by, {
      ...{ organizationId, action: 'domain.keys_rotated', id, name: domain },
      ...{ before: selectorsOf(before), after: selectorsOf(after) },
    })
    return after
  })
}

function selectorsOf({ keys }: Domain) {
  return { selectors: keys.map(({ selector }) => selector) }
}
