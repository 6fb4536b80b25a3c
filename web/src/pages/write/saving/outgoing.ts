import { hasText } from '../../../../../src/base/text/find-text.ts'
import { forwardedField } from '../../../../../src/formats/mime/header/forwarded-field.ts'
import { queryClient } from '../../../app/query-client.ts'
import { meQuery } from '../../../session/me.ts'
import { written } from '../recipients/addresses.ts'
import type { File, Writing } from '../writing.ts'
import { contentOf } from './device.ts'

/** A message as a draft of the service, without its files. */
export function fieldsOf(writing: Writing) {
  const { from, to, cc, bcc, subject, inReplyTo, references } = writing
  const mailbox = queryClient.getQueryData(meQuery.queryKey)?.mailboxes.find(({ address }) => address === from)
  return {
    ...{
      from: written({ name: mailbox?.name ?? '', address: from }),
      to: [...to],
      cc: [...cc],
      bcc: [...bcc],
      subject,
    },
    ...textsOf(writing),
    in_reply_to: inReplyTo === undefined ? [] : [inReplyTo],
    references: [...(references ?? [])],
  }
}

/** Header fields of a new draft; an edit leaves them as they are. */
export function headersOf({ forwards }: Writing): Record<string, string> {
  return forwards === undefined ? {} : { [forwardedField]: forwards }
}

/** The texts to be sent, with their quotation. */
function textsOf({ isRich, html, text, quoted }: Writing): { text: string; html?: string } {
  const whole = quoted ? `${text}\n\n${quoted.text}` : text
  return isRich ? { text: whole, html: quoted ? `${html}<div><br></div>${quoted.html}` : html } : { text: whole }
}

/** Without pictures that are no longer in the text. */
export function filesOf(writing: Writing): File[] {
  const { html = '' } = textsOf(writing)
  return writing.files.filter(({ cid }) => cid === undefined || hasText(html, `cid:${cid}`))
}

/** A file for a request. */
export async function attached({ id, name, type, cid }: File) {
  const content = await base64(await contentOf(id))
  return { filename: name, content, ...(type !== '' && { content_type: type }), ...(cid && { content_id: cid }) }
}

function base64(blob: Blob): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const reader = new FileReader()
  reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''))
  reader.onerror = () => reject(reader.error)
  reader.readAsDataURL(blob)
  return promise
}
