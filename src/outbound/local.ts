import type { Db } from '#/db/schema.ts'
import { splitAddress } from '#/mime/address.ts'
import type { Relay } from '#/ports/relay.ts'

/** The route of recipients whose mail comes in here: it does not leave. */
export const localRoute = 'local'

/** Which of the recipients' domains are verified here, for whichever organization. */
export async function domainsHere(db: Db, recipients: readonly string[]): Promise<ReadonlySet<string>> {
  const domains = [...new Set(recipients.map((recipient) => splitAddress(recipient)?.domain ?? ''))]
  const rows = await db
    .selectFrom('domains')
    .select('domain')
    .where('domain', 'in', domains)
    .where('status', '=', 'verified')
    .execute()
  return new Set(rows.map(({ domain }) => domain))
}

/** The route of each recipient, by recipient. */
export async function routesOf(
  db: Db,
  relay: Pick<Relay, 'routeOf'>,
  recipients: readonly { readonly recipient: string }[],
): Promise<Map<string, string>> {
  const addresses = recipients.map(({ recipient }) => recipient)
  const here = await domainsHere(db, addresses)
  return new Map(
    addresses.map((address) => [
      address,
      here.has(splitAddress(address)?.domain ?? '') ? localRoute : relay.routeOf(address),
    ]),
  )
}
