import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'
import type { Caller } from '#/http/access/caller.ts'

/** A member's signature for a mailbox. */
export interface Signature {
  readonly text: string
  readonly html: string | null
}

/** Whose signature it is, and in which mailbox. */
interface SignatureKey {
  readonly organizationId: string
  readonly memberId: string
  readonly mailboxId: string
}

/** A member's signatures for the mailboxes that they may write from now, with the addresses of these. */
export async function signaturesOf(
  db: Db,
  caller: Caller,
  memberId: string,
): Promise<(Signature & { readonly mailbox: string })[]> {
  const { rows } = await sql<Signature & { readonly mailbox: string }>`
    select mailbox.address as mailbox, signature.text, signature.html
    from member_signatures signature
    join mailboxes mailbox
      on mailbox.organization_id = signature.organization_id and mailbox.id = signature.mailbox_id
    where signature.organization_id = ${caller.organizationId} and signature.member_id = ${memberId}
      and ${caller.mayIn('send', 'signature.mailbox_id')}
    order by mailbox.address`.execute(db)
  return rows
}

/** Sets a signature, in place of the one before. */
export async function setSignature(
  db: Db,
  { organizationId, memberId, mailboxId }: SignatureKey,
  { text, html }: Signature,
): Promise<void> {
  await sql`
    insert into member_signatures (organization_id, member_id, mailbox_id, text, html)
    values (${organizationId}, ${memberId}, ${mailboxId}, ${text}, ${html})
    on conflict (organization_id, member_id, mailbox_id) do update set text = excluded.text, html = excluded.html`.execute(
    db,
  )
}

/** Removes a signature, if there is one. */
export async function removeSignature(db: Db, { organizationId, memberId, mailboxId }: SignatureKey): Promise<void> {
  await sql`
    delete from member_signatures
    where organization_id = ${organizationId} and member_id = ${memberId} and mailbox_id = ${mailboxId}`.execute(db)
}
