import { type RawBuilder, sql } from 'kysely'
import { normalized } from '#/base/text/unicode.ts'
import { type Address, splitAddress } from '#/formats/mime/address/address.ts'
import { readHeaders } from '#/formats/mime/header/headers.ts'
import { addressesIn } from '#/formats/mime/read-message.ts'
import { uidRows } from '#/mail/store/folders.ts'
import { integers, packed, times } from '#/mail/store/packed.ts'
import { baseSubject } from './base-subject.ts'
import { messagesAt } from './open-messages.ts'
import type { Scope } from './scope.ts'
import type { Criterion } from './sort-program.ts'

/** By what messages are sorted: of each of the places, in their order. */
export type Values = Float64Array | readonly string[]

/** Messages of a statement. */
const atOnce = 2_000
/** Characters that count, of a text and of a subject with its marks. */
const [longest, longestSubject] = [250, 1_000]

/** Of messages that have gone meanwhile the values are 0 or empty. */
export async function valuesOf(scope: Scope, by: Criterion, places: readonly number[]): Promise<Values> {
  switch (by) {
    case 'ARRIVAL':
      return numbers(scope, places, { column: sql`timestamptz_send(message.received_at)`, read: times })
    case 'DATE':
      return numbers(scope, places, { column: sql`timestamptz_send(${sentAt})`, read: times })
    case 'SIZE':
      return numbers(scope, places, { column: sql`int4send(message.size_bytes)`, read: integers })
    case 'SUBJECT':
      return texts(scope, places, subject, (written) => collated(baseSubject(String(written ?? '')).text))
    case 'FROM':
      return texts(scope, places, author, (one) => collated(localPart(one)))
    case 'DISPLAYFROM':
      return texts(scope, places, author, (one) => collated(displayed(one)))
    case 'TO':
      return texts(scope, places, recipient, (one) => collated(localPart(one)))
    case 'DISPLAYTO':
      return texts(scope, places, recipient, (one) => collated(displayed(one)))
    case 'CC':
      return copied(scope, places)
  }
}

/** Subjects as they are written. */
export async function subjectsOf(scope: Scope, places: readonly number[]): Promise<string[]> {
  return texts(scope, places, subject, (written) => String(written ?? ''))
}

/** When a message was sent; without a date, when it was received (RFC 5256, section 2.2). */
const sentAt = sql`coalesce((content.facts ->> 'date')::timestamptz, message.received_at)`

const subject = sql`to_json(left(content.subject, ${longestSubject}))`
const author = sql`case when content.from_address is not null
  then json_build_object('name', coalesce(content.from_name, ''), 'address', content.from_address) end`
const recipient = sql`(content.recipients -> 0)::json`

/** A text as it is compared: without case, by code points (RFC 5256, section 2.1 has i;unicode-casemap). */
function collated(text: string): string {
  return normalized(text.slice(0, longest), 'NFKD').toUpperCase()
}

/** Texts that `collated` answered, by their code points, where JavaScript has code units. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0
  for (let at = 0; at < a.length && at < b.length; at++) {
    const [one, other] = [a.charCodeAt(at), b.charCodeAt(at)]
    if (one !== other) return inOrder(one) - inOrder(other)
  }
  return a.length - b.length
}

/** Surrogates stand for what is above all other characters. */
function inOrder(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x2000 : unit
}

function localPart(address: unknown): string {
  const given = (address as Address | null)?.address ?? ''
  const local = splitAddress(given)?.local ?? given
  // As ENVELOPE tells it: quotation marks are no part of it (RFC 5256, section 3).
  const [, quoted] = /^"(.*)"$/s.exec(local) ?? []
  return quoted?.replace(/\\(.)/gs, '$1') ?? local
}

/** The name, else the address (RFC 5957, section 3). */
function displayed(address: unknown): string {
  const { name = '', address: bare = '' } = (address as Address | null) ?? {}
  return name || bare
}

async function numbers(
  scope: Scope,
  places: readonly number[],
  { column, read }: { column: RawBuilder<unknown>; read: (base64: string | null) => ArrayLike<number> },
): Promise<Float64Array> {
  const values = new Float64Array(places.length)
  await eachSlice(scope, places, sql`${packed(sql`value`)} as values`, column, (row, orderOf) => {
    const found = read(row.values as string | null)
    for (const [at, order] of orderOf.entries()) values[order] = found[at] ?? 0
  })
  return values
}

async function texts(
  scope: Scope,
  places: readonly number[],
  column: RawBuilder<unknown>,
  textOf: (value: unknown) => string,
): Promise<string[]> {
  const values: string[] = Array(places.length).fill('')
  await eachSlice(scope, places, sql`json_agg(value) as values`, column, (row, orderOf) => {
    const found = (row.values as unknown[] | null) ?? []
    for (const [at, order] of orderOf.entries()) values[order] = textOf(found[at])
  })
  return values
}

/** Reads a column of the messages, in slices; `take` gets the values and where among the places each belongs. */
async function eachSlice(
  scope: Scope,
  places: readonly number[],
  aggregate: RawBuilder<unknown>,
  column: RawBuilder<unknown>,
  take: (row: { values: unknown }, orderOf: number[]) => void,
): Promise<void> {
  for (let from = 0; from < places.length; from += atOnce) {
    const orders = new Map(
      places.slice(from, from + atOnce).map((place, at) => [scope.known.uidAt(place), from + at] as const),
    )
    const { rows } = await sql<{ uids: string | null; values: unknown }>`
      select ${packed(sql`int4send(uid::integer)`)} as uids, ${aggregate} from (
        select message.uid, ${column} as value
        from ${uidRows(scope.selected.folderId, [...orders.keys()])} wanted
        join mail_messages message using (folder_id, uid)
        join mail_contents content on content.id = message.content_id and content.organization_id = ${scope.organizationId}
        offset 0
      ) read`.execute(scope.db)
    const [row] = rows
    const orderOf = Array.from(integers(row?.uids ?? null), (uid) => orders.get(uid) ?? 0)
    if (row) take(row, orderOf)
    await scope.pause(from, places.length)
  }
}

/** Cc is not stored: headers are read. */
async function copied(scope: Scope, places: readonly number[]): Promise<string[]> {
  const values: string[] = Array(places.length).fill('')
  const orderOf = new Map(places.map((place, at) => [place, at]))
  for await (const { place, raw } of messagesAt(scope, places, { headersOnly: true })) {
    const [first] = addressesIn(readHeaders(raw).headers, 'cc')
    values[orderOf.get(place) ?? 0] = collated(localPart(first))
  }
  return values
}
