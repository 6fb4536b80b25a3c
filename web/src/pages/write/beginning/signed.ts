import type { Signed, Writing } from '../writing.ts'
import { linesAsHtml } from './quote.ts'
import { signatureOf } from './signature-queries.ts'

type Texts = Pick<Writing, 'html' | 'text'>

/** The end of messages from a mailbox, as in the editor: the signature below its separator line (RFC 3676, section 4.3). */
export async function signedFor(mailbox: string): Promise<Signed | undefined> {
  const signature = await signatureOf(mailbox)
  if (!signature) return undefined
  const { docOf, htmlOf, textOf } = await import('../editor/convert.ts')
  const doc = docOf(`<div>--&nbsp;</div>${signature.html ?? linesAsHtml(signature.text)}`)
  return { html: htmlOf(doc), text: textOf(doc) }
}

/** A message with or without a signature at its end. */
export function signed(own: Texts, signature: Signed | undefined): Texts & Pick<Writing, 'signed'> {
  const html = own.html.replace(/(?:<div>(?:<br>)?<\/div>)+$/, '')
  const text = own.text.trimEnd()
  if (!signature) return { html, text, signed: undefined }
  return {
    html: `${html || blankLine}${blankLine}${signature.html}`,
    text: `${text}\n\n${signature.text}`,
    signed: signature,
  }
}

const blankLine = '<div><br></div>'

/** A draft that ends with its mailbox's signature, which can so be replaced with the mailbox. */
export function knownAsSigned<T extends Texts & Pick<Writing, 'isRich'>>(draft: T, signature: Signed | undefined): T {
  return signature && endsWith(draft, signature) ? { ...draft, signed: signature } : draft
}

/** The message from another mailbox: with that one's signature, unless the earlier one was edited. */
export async function signedAnew(writing: Writing, from: string): Promise<Partial<Writing>> {
  const [before, after] = [writing.signed ?? (await signedFor(writing.from)), await signedFor(from)]
  if (before) return endsWith(writing, before) ? signed(unsigned(writing, before), after) : {}
  return after ? signed(writing, after) : {}
}

/** The text without formatting, and with it. */
export function formatted({ text, ...writing }: Writing): Partial<Writing> {
  const { signed: signature } = writing
  const isSigned = signature && text.endsWith(signature.text)
  const own = isSigned ? text.slice(0, -signature.text.length) : text
  return {
    isRich: true,
    ...(isSigned ? signed({ html: linesAsHtml(own), text: own }, signature) : { html: linesAsHtml(own) }),
  }
}

function endsWith({ isRich, html, text }: Texts & Pick<Writing, 'isRich'>, signature: Signed): boolean {
  return text.endsWith(signature.text) && (!isRich || html.endsWith(signature.html))
}

const unsigned = ({ html, text }: Texts, signature: Signed): Texts => ({
  html: html.slice(0, -signature.html.length),
  text: text.slice(0, -signature.text.length),
})
