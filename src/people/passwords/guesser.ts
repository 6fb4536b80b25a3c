import type { Db } from '#/base/db/schema.ts'
import type { Holder } from '#/base/event-loop/fair-share.ts'
import { clientNetwork } from '#/base/network/ip-address.ts'
import { verifiedOwner } from '#/domains/queries.ts'
import { canonicalDomain, splitAddress } from '#/formats/mime/address/address.ts'

/** Whose part of the time for hashing a guess takes: that of the organization whose domain the login names, or else of the client. It
 *  does not depend on the account, so that waiting does not disclose whether there is one. */
export async function guesserOf(db: Db, login: string, address: string): Promise<Holder> {
  const client = clientNetwork(address)
  const domain = canonicalDomain(splitAddress(login)?.domain ?? '')
  const organization = domain === undefined ? undefined : await verifiedOwner(db, domain)
  return { organization: organization ?? client, key: client }
}
