import type { SendMessageBody } from '../../api/generated.ts'
import { contentOf } from './device.ts'
import type { File, Writing } from './writing.ts'

/** What the service is asked to send. */
export async function bodyOf(writing: Writing): Promise<SendMessageBody> {
  const { from, to, cc, bcc, subject, inReplyTo, references } = writing
  const attachments = await Promise.all(filesOf(writing).map(attached))
  return {
    ...{ from, to: [...to], cc: [...cc], bcc: [...bcc], subject, ...textsOf(writing) },
    ...(inReplyTo !== undefined && { in_reply_to: inReplyTo }),
    ...(references && { references: [...references] }),
    ...(attachments.length > 0 && { attachments }),
  }
}

/** The texts as they are sent, with what they quote. */
function textsOf({ isRich, html, text, quoted }: Writing): { text: string; html?: string } {
  const whole = quoted ? `${text}\n\n${quoted.text}` : text
  return isRich ? { text: whole, html: quoted ? `${html}<div><br></div>${quoted.html}` : html } : { text: whole }
}

/** Without pictures that are no longer in the text. */
function filesOf(writing: Writing): File[] {
  const { html = '' } = textsOf(writing)
  return writing.files.filter(({ cid }) => cid === undefined || html.includes(`cid:${cid}`))
}

async function attached({ id, name, type, cid }: File) {
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
