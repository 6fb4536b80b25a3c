import { type Headers, readHeaders } from '../header/headers.ts'
import { withoutComments } from '../header/lexical.ts'
import { readPairs } from '../header/parameters.ts'
import { type Envelope, writtenText } from './envelope.ts'

/** Names in lower case and values as they are written, without quotes: nothing is decoded or joined (RFC 2231). */
export type WrittenParameters = readonly (readonly [name: string, value: string])[]

/** The Content fields of a header as they are written, one character an octet; null where there is none. */
export interface ContentFields {
  /** In the case of the header. */
  readonly type: string
  readonly subtype: string
  readonly parameters: WrittenParameters
  readonly id: string | null
  readonly description: string | null
  /** `7bit` where the header says none. */
  readonly encoding: string
  readonly md5: string | null
  readonly disposition: readonly [value: string, parameters: WrittenParameters] | null
  readonly language: readonly string[]
  readonly location: string | null
}

/** Limits for the texts of one field, and of all parts together, in octets. The rest of a longer one is left out. */
const MOST_OF_FIELD = 16 * 1024
const MOST_OF_ALL = 256 * 1024
const MOST_FIELDS = 100

/** Reads Content fields of parts of one message. */
export class ContentReader {
  readonly #raw: Buffer
  #left = MOST_OF_ALL

  constructor(raw: Buffer) {
    this.#raw = raw
  }

  /** Of the header between these places, whose part was taken for this type. */
  fields(header: number, start: number, type: string): ContentFields {
    const { headers } = readHeaders(this.#raw, header, start, MOST_FIELDS)
    const disposition = headers.octets('content-disposition').at(-1)
    return {
      ...this.#type(headers, type),
      id: this.#text(headers, 'content-id'),
      description: this.#text(headers, 'content-description'),
      encoding: this.#token(headers.octets('content-transfer-encoding').at(-1) ?? '') || '7bit',
      md5: this.#text(headers, 'content-md5'),
      disposition: disposition === undefined ? null : this.#withParameters(disposition),
      language: languages(this.#text(headers, 'content-language') ?? ''),
      location: this.#text(headers, 'content-location'),
    }
  }

  /** The envelope, if there is room for it. */
  within(envelope: Envelope): Envelope {
    const size = JSON.stringify(envelope).length
    if (size <= this.#left) {
      this.#left -= size
      return envelope
    }
    const none = { from: [], sender: [], replyTo: [], to: [], cc: [], bcc: [] }
    return { ...none, date: null, subject: null, inReplyTo: null, messageId: null }
  }

  /** Of several Content-Type fields, the last that says what the part was taken for. Without one, the part was taken for something
   *  else than it says, since that cannot be: then nothing that it says holds. A text names its charset in any case. */
  #type(headers: Headers, type: string): Pick<ContentFields, 'type' | 'subtype' | 'parameters'> {
    const value = headers.octets('content-type').findLast((one) => essence(one).toLowerCase() === type)
    const [main = '', subtype = ''] = (value === undefined ? type : essence(value)).split('/')
    const parameters = value === undefined ? [] : this.#withParameters(value)[1]
    const lacksCharset = type.startsWith('text/') && !parameters.some(([name]) => /^charset\b/.test(name))
    return { type: main, subtype, parameters: lacksCharset ? [...parameters, ['charset', 'us-ascii']] : parameters }
  }

  #withParameters(value: string): [value: string, parameters: WrittenParameters] {
    const text = unfolded(value)
    const first = essence(text)
    return [
      this.#taken(first),
      readPairs(text, first.length).map(([name, one]) => [this.#taken(name), this.#taken(one)]),
    ]
  }

  #token(value: string): string {
    return this.#taken(/^[^\s;]*/.exec(withoutComments(unfolded(value)))?.[0] ?? '')
  }

  #text(headers: Headers, name: string): string | null {
    const text = writtenText(headers, name)
    return text === null ? null : this.#taken(text)
  }

  #taken(text: string): string {
    const taken = text.slice(0, Math.min(MOST_OF_FIELD, this.#left))
    this.#left -= taken.length
    return taken
  }
}

/** The value in front of parameters. */
function essence(value: string): string {
  return /^[^\s;(]*/.exec(value)?.[0] ?? ''
}

function unfolded(value: string): string {
  return value.slice(0, MOST_OF_FIELD).replace(/[\r\n\0]+/g, '')
}

function languages(value: string): string[] {
  return withoutComments(value)
    .split(/[\s,]+/)
    .filter((tag) => tag !== '')
    .slice(0, MOST_FIELDS)
}
