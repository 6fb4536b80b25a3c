import type { Outgoing } from '#/out/sending/outgoing.ts'
import { addressFields } from './address-fields.ts'
import { compose, type Identity } from './compose.ts'

/** Composes an unfinished message in the form that other mail programs store: Bcc stays in the header, and an address may be
 *  a name alone. Texts end with a line break, whether or not the draft's own do; readers remove one. */
export async function composeDraft(draft: Outgoing, identity: Identity): Promise<Buffer> {
  const { to, cc, bcc, replyTo } = draft
  const written = addressFields({ To: to, Cc: cc, Bcc: bcc, 'Reply-To': replyTo })
  const texts = { text: lines(draft.text), html: lines(draft.html) }
  const rest = await compose({ ...draft, ...texts, to: [], cc: [], bcc: [], replyTo: [] }, identity)
  return Buffer.concat([Buffer.from(written), rest])
}

function lines(text: string | null): string | null {
  return text === null ? null : `${text}\n`
}
