import type { Db } from '#/db/schema.ts'
import { splitAddress } from '#/mime/address.ts'

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
