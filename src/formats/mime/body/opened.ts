import { type Content, readContent } from './content.ts'
import { htmlToText } from './html-text.ts'
import { mostTurned } from './part-text.ts'
import { newHtml } from './quoted/new-html.ts'
import { newText } from './quoted/new-text.ts'

/** The content of a message for its reader, who wants a text of every message. */
export interface Opened extends Content {
  /** Of a message whose text is missing or empty, as some programs send it, the first part of its HTML as text. */
  readonly text: string | null
  /** The text without what it quotes and without the signature; null if the message has neither text nor HTML. */
  readonly newText: string | null
}

/** Never throws. Takes the new text from the first half MiB. */
export function readOpened(raw: Buffer): Opened {
  const content = readContent(raw)
  const { text, html } = content
  if (html === null || !isEmpty(text)) return { ...content, newText: text === null ? null : newText(beginning(text)) }
  const first = beginning(html)
  return { ...content, text: htmlToText(first), newText: newText(htmlToText(newHtml(first))) }
}

function isEmpty(text: string | null): boolean {
  return text === null || text.trim() === ''
}

function beginning(text: string): string {
  return text.slice(0, mostTurned).toWellFormed()
}
