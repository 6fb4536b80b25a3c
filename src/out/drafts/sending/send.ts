import { invalid } from '#/base/errors.ts'
import type { Caller } from '#/http/access/caller.ts'
import { assertAttachmentsFit } from '#/out/sending/fields.ts'
import { type Outgoing, outgoing } from '#/out/sending/outgoing.ts'
import { mostRecipients, type SendingBody } from '#/out/sending/schemas.ts'
import { type DraftContent, writtenHeader } from '../content.ts'

type Body = Omit<SendingBody, 'to' | 'attachments'> & { readonly to: string[] }

/** A draft as a sending body (docs/reference/sending.md), without its attachments. */
export function sendingBody(draft: DraftContent): Body {
  const { text, html } = draft
  return {
    ...writtenHeader(draft),
    ...(text !== null && { text }),
    ...(html !== null && { html }),
  }
}

/** A draft of another mail program may exceed the limits of sending. */
const longest = { to: mostRecipients, cc: mostRecipients, bcc: mostRecipients, reply_to: 10, subject: 998 } as const

/** The message to send of a draft. @throws Refusal naming the field that is unfinished, or not allowed */
export function finished(caller: Caller, draft: DraftContent, body: Body): Outgoing {
  for (const field of Object.keys(longest) as (keyof typeof longest)[]) {
    if ((body[field]?.length ?? 0) > longest[field]) throw invalid(field, `${field} can hold at most ${longest[field]}`)
  }
  assertAttachmentsFit(draft.attachments, 'attachments')
  return { ...outgoing(caller, body), attachments: draft.attachments }
}
