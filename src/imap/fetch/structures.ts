import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import { collected } from '#/base/event-loop/pieces.ts'
import { Slots } from '#/base/event-loop/slots.ts'
import type { Entity } from '#/formats/mime/entity/entity.ts'
import type { MessageReader } from '#/formats/mime/reader.ts'
import { Gone, octetsOf } from '#/mail/store/octets.ts'

/** To find the structure of a large message all of it is read, of one at a time in the process: many clients that ask for such
 *  messages cost the memory of one. */
const large = new Slots(1)

/** The structure of a large message: the stored one, or else it is found and stored. Throws `Gone`. */
export async function largeStructure(
  { db, reader }: { readonly db: Db; readonly reader: MessageReader },
  organizationId: string,
  { contentId, sizeBytes }: { readonly contentId: number; readonly sizeBytes: number },
  signal: AbortSignal,
): Promise<Entity> {
  using _ = await large.enter()
  signal.throwIfAborted()
  // Who waited with us may have found it.
  const known = await stored(db, organizationId, contentId)
  if (known !== undefined) return JSON.parse(known) as Entity
  const raw = await collected(octetsOf(db, organizationId, contentId, { start: 0, end: sizeBytes }), sizeBytes)
  const structure = await reader.structure(raw)
  await store(db, organizationId, contentId, structure)
  return JSON.parse(structure) as Entity
}

async function stored(db: Db, organizationId: string, contentId: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('mail_structures')
    .select('structure')
    .where('content_id', '=', contentId)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  return row?.structure
}

/** Unless the message has been deleted. */
async function store(db: Db, organizationId: string, contentId: number, structure: string): Promise<void> {
  const { rows } = await sql<{ id: number }>`
    with content as (
      select id from mail_contents where id = ${contentId} and organization_id = ${organizationId} for key share
    ), stored as (
      insert into mail_structures (organization_id, content_id, structure)
      select ${organizationId}::uuid, id, ${structure} from content on conflict do nothing
    )
    select id from content`.execute(db)
  if (rows.length === 0) throw new Gone()
}
