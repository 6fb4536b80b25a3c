import { invalid } from '#/base/errors.ts'
import type { Headers } from '#/formats/mime/header/headers.ts'
import { Line, OneOrMore } from '#/http/schemas/shared-schemas.ts'
import { type Static, Type } from '#/http/schemas/type.ts'

/** Header fields that a sender adds (docs/reference/sending.md#which-header-fields-may-i-add). */

export interface HeaderField {
  readonly name: string
  readonly value: string
}

const mostNames = 20
const mostValues = 10
/** Octets of all of them: some servers refuse a longer header. */
const mostOctets = 16 * 1024

/** As a request has them: values by name. */
export const ExtraHeaders = Type.Unsafe<Record<string, string | string[]>>({
  type: 'object',
  maxProperties: mostNames,
  additionalProperties: OneOrMore(Line({ minLength: 1, maxLength: 998 }), { minItems: 1, maxItems: mostValues }),
  description:
    'Header fields by name: List-Unsubscribe, List-Unsubscribe-Post, Auto-Submitted, Precedence, Importance and X-*, up to 20. ' +
    'An X-* may have several values.',
  examples: [
    {
      'List-Unsubscribe': '<https://example.com/leave?id=1>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'X-Campaign': 'spring',
    },
  ],
  rule: (given: Given) => extraHeaders(given),
})

type Given = Static<typeof ExtraHeaders>

const oneOf = (words: readonly string[]) => (value: string) =>
  words.includes(value.toLowerCase()) ? undefined : `must be one of ${words.join(', ')}`

/** The error of a value of a field other than X-*, if any. Names as they are written. */
const known: Readonly<Record<string, (value: string) => string | undefined>> = {
  'List-Unsubscribe': (value) =>
    targetsOf(value) ? undefined : 'must hold https: or mailto: addresses, each in angle brackets, with commas between',
  'List-Unsubscribe-Post': (value) =>
    value === 'List-Unsubscribe=One-Click' ? undefined : 'must be List-Unsubscribe=One-Click (RFC 8058)',
  'Auto-Submitted': oneOf(['no', 'auto-generated', 'auto-replied', 'auto-notified']),
  Precedence: oneOf(['bulk', 'list', 'junk', 'first-class', 'special-delivery']),
  Importance: oneOf(['low', 'normal', 'high']),
}

const knownNames = new Map(Object.keys(known).map((name) => [name.toLowerCase(), name]))

/** Fields that Mailroom itself, other mail servers and mailboxes on disk read or write. */
const meaningful =
  /^x-(?:mailroom-.*|failed-recipients|auto-response-suppress|uid|uidl|imap|imapbase|status|keywords|original-to|envelope-.*|spam-.*)$/

/** As it is written: `X-Campaign-Id`. Undefined for a forbidden field. */
function writtenName(name: string): string | undefined {
  const lower = name.toLowerCase()
  if (!/^x-[a-z0-9-]{1,62}$/.test(lower) || meaningful.test(lower)) return knownNames.get(lower)
  return lower.replace(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase())
}

/** The targets of List-Unsubscribe (RFC 2369, section 3.2); undefined if it is anything else. */
function targetsOf(value: string): string[] | undefined {
  const targets = value
    .split(/,\s*(?=<)/)
    .map((one) => /^<((?:https|mailto):[!-;=?-~]{1,900})>$/i.exec(one.trim())?.[1])
  const all = targets.filter((target) => target !== undefined)
  return all.length === targets.length && all.every((target) => URL.canParse(target)) ? all : undefined
}

/** The fields of a request. `place` comes before their names in errors. @throws Refusal naming the field */
export function extraHeaders(given: Given, place = ''): HeaderField[] {
  const fields: HeaderField[] = []
  let octets = 0
  for (const [name, values] of Object.entries(given)) {
    const field = place + name
    const written = writtenName(name)
    if (written === undefined) throw invalid(field, `${name} cannot be set`, 'See docs/reference/sending.md')
    if (fields.some((other) => other.name === written)) throw invalid(field, `${written} is given twice`)
    const rule = known[written]
    if (rule && Array.isArray(values)) throw invalid(field, `${written} takes one value`)
    for (const value of [values].flat().map((one) => one.trim())) {
      const fault = value === '' ? 'must not be empty' : rule?.(value)
      if (fault !== undefined) throw invalid(field, `${written} ${fault}`)
      octets += written.length + Buffer.byteLength(value)
      if (octets > mostOctets) throw invalid(field, `headers can be at most ${mostOctets} octets in all`)
      fields.push({ name: written, value })
    }
  }
  assertOneClick(fields, place)
  return fields
}

/** RFC 8058, section 3.1: mail programs post to an https address. */
function assertOneClick(fields: readonly HeaderField[], place: string): void {
  const the = (wanted: string) => fields.find(({ name }) => name === wanted)?.value
  if (the('List-Unsubscribe-Post') === undefined) return
  const targets = targetsOf(the('List-Unsubscribe') ?? '') ?? []
  if (!targets.some((target) => /^https:/i.test(target)))
    throw invalid(`${place}List-Unsubscribe-Post`, 'List-Unsubscribe-Post needs an https: address in List-Unsubscribe')
}

/** Those of a message that a request could have given. */
export function extraHeadersOf(headers: Headers): HeaderField[] {
  return headers.fields.flatMap((field) => {
    const [name, value] = [writtenName(field.name), headers.textOf(field)]
    return name === undefined || value === '' ? [] : [{ name, value }]
  })
}

/** Fields as a request has them. */
export function givenHeaders(fields: readonly HeaderField[]): Given {
  const names = new Set(fields.map(({ name }) => name))
  return Object.fromEntries(
    Array.from(names, (wanted) => {
      const values = fields.filter(({ name }) => name === wanted).map(({ value }) => value)
      return [wanted, values.length === 1 ? values.join('') : values]
    }),
  )
}
