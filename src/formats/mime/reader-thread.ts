import { bufferOf } from '#/base/event-loop/pieces.ts'
import { type Served, serve } from '#/base/event-loop/worker-thread.ts'
import { attachmentBytes, readContent } from './body/content.ts'
import { type AllTexts, allTexts, holdsTexts, type Sought } from './body/holds-texts.ts'
import { messageNames } from './body/names-address.ts'
import { readOpened } from './body/opened.ts'
import { readSearchable, type Searchable } from './body/searchable.ts'
import { readEntity } from './entity/entity.ts'
import type { Field } from './header/lines.ts'
import type { Message } from './message.ts'
import { readMessage } from './read-message.ts'

/** A task of the reader's thread. */
export interface Reading {
  readonly what: keyof typeof readings
  readonly raw: Uint8Array
  /** Of the attachment, or the address of a picture. */
  readonly id?: string
  /** Of a search. */
  readonly sought?: readonly Sought[]
}

const readings = {
  message(raw: Buffer): Served & { result: ReadMessage } {
    const { raw: _, headers, strong, weak, ...message } = readMessage(raw)
    const { fields, complete, certain, charset } = headers
    return {
      result: { ...message, fields, complete, certain, charset, strong: strong.join(' '), weak: weak.join(' ') },
    }
  },

  content(raw: Buffer): Served & { result: ReadContent } {
    const { text, html, attachments } = readContent(raw)
    const result = { text: json(text), html: json(html), attachments }
    return { result, transfer: [result.text.buffer, result.html.buffer] }
  },

  opened(raw: Buffer): Served & { result: ReadOpened } {
    const { text, html, newText, attachments } = readOpened(raw)
    const result = { text: json(text), html: json(html), newText: json(newText), attachments }
    return { result, transfer: [result.text.buffer, result.html.buffer, result.newText.buffer] }
  },

  searchable(raw: Buffer): Served & { result: Searchable } {
    return { result: readSearchable(raw) }
  },

  allTexts(raw: Buffer): Served & { result: AllTexts } {
    return { result: allTexts(raw) }
  },

  holds(raw: Buffer, { sought = [] }: Reading): Served & { result: boolean[] } {
    return { result: holdsTexts(raw, sought) }
  },

  structure(raw: Buffer): Served & { result: string } {
    return { result: JSON.stringify(readEntity(raw, true)) }
  },

  names(raw: Buffer, { id: address = '' }: Reading): Served & { result: boolean } {
    return { result: messageNames(raw, address) }
  },

  attachment(raw: Buffer, { id = '' }: Reading): Served & { result: ReadAttachment | undefined } {
    const found = attachmentBytes(raw, id)
    if (!found) return { result: undefined }
    // Of its own, since those of an attachment that is not encoded are the message's.
    const bytes = new Uint8Array(found.bytes)
    return { result: { ...found, bytes }, transfer: [bytes.buffer] }
  },
}

/** A message without the parts that hold its bytes, which both threads have. */
export type ReadMessage = Omit<Message, 'raw' | 'headers' | 'strong' | 'weak'> & {
  readonly fields: readonly Field[]
  readonly complete: boolean
  readonly certain: number
  readonly charset: string
  /** Separated by spaces, which ids do not contain. A message may have 100,000 ids: receiving as many strings takes ten
   *  times as long as splitting one. */
  readonly strong: string
  readonly weak: string
}

/** Texts, or null, as JSON in UTF-8. */
export interface ReadContent {
  readonly text: Uint8Array<ArrayBuffer>
  readonly html: Uint8Array<ArrayBuffer>
  readonly attachments: ReturnType<typeof readContent>['attachments']
}

export interface ReadOpened extends ReadContent {
  readonly newText: Uint8Array<ArrayBuffer>
}

export interface ReadAttachment {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly filename: string | null
  readonly contentType: string
}

function json(text: string | null): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(text))
}

serve((reading: Reading) => readings[reading.what](bufferOf(reading.raw), reading))
