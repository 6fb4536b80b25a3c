import type { Headers } from '../header/headers.ts'
import { type Parameterized, parseParameters } from '../header/parameters.ts'
import type { Part } from './part.ts'

/** The type of what nobody names. */
export const OPAQUE = 'application/octet-stream'

/** A part whose end is not known yet. */
export interface OpenPart extends Part {
  type: string
  path: string
  readonly header: number
  start: number
  end: number
  readonly parts: OpenPart[]
}

/** A part by its header. */
export function describe(
  headers: Headers,
  byDefault: string,
  { header, start, end }: Pick<Part, 'header' | 'start' | 'end'>,
): OpenPart {
  const content = contentType(headers)
  const disposition = parseParameters(headers.last('content-disposition') ?? '')
  return {
    path: '',
    type: content.value === '' ? byDefault : mediaType(content.value),
    parameters: content.parameters,
    disposition: disposition.value,
    filename: disposition.parameters.get('filename') || content.parameters.get('name') || null,
    contentId: headers.text('content-id').replace(/^<|>$/g, '') || null,
    encoding: parseParameters(headers.last('content-transfer-encoding') ?? '').value,
    header,
    start,
    end,
    parts: [],
  }
}

/** Of several that a fault has left, the last that says most: a multipart with a boundary, else a type that is one. */
function contentType(headers: Headers): Parameterized {
  const last = parseParameters(headers.last('content-type') ?? '')
  const others =
    headers.count('content-type') > 1 ? headers.all('content-type').slice(-MOST_TYPES).map(parseParameters) : []
  return [last, ...others.reverse()].reduce((best, one) => (tells(one) > tells(best) ? one : best))
}

const MOST_TYPES = 10

function tells({ value, parameters }: Parameterized): number {
  const type = value === '' ? OPAQUE : mediaType(value)
  if (type.startsWith('multipart/') && parameters.get('boundary')) return 2
  return type === OPAQUE ? 0 : 1
}

/** `text` is the type of mail from before MIME. Other faults are punctuation behind a type, and patterns for one. */
function mediaType(written: string): string {
  // A run of punctuation is tried from its beginning alone, so that a long one within takes no quadratic time.
  const value = written.replace(/(?<!["',.:])["',.:]+$/, '').replace(/^["']+/, '')
  if (value === 'text' || value === 'text/*') return 'text/plain'
  if (/^[a-z0-9!#$&^_.+-]{1,127}\/[a-z0-9!#$&^_.+-]{1,127}$/.test(value)) return value
  return value.startsWith('multipart/') ? 'multipart/mixed' : OPAQUE
}
