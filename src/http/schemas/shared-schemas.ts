import { notFound } from '#/base/errors.ts'
import { isUuid } from '#/base/text/text.ts'
import {
  type Static,
  type TLiteralValue,
  type TObject,
  type TProperties,
  type TSchema,
  type TSchemaOptions,
  Type,
} from './type.ts'

/** Schemas that several nouns share. */

export const Id = Type.String({ format: 'uuid', examples: ['0199f0a2-7a52-7cc1-a1f1-0d5b7f3a1c55'] })

/** RFC 3339 in UTC, with milliseconds. */
export const Timestamp = Type.String({ format: 'date-time', examples: ['2026-11-21T07:44:33.123Z'] })

/** A single line without control characters and lone surrogates, safe in a header or an address. Lengths are in code points. */
export function Line(options: TSchemaOptions & { minLength?: number; maxLength?: number } = {}) {
  return Type.String({ ...options, format: 'line' })
}

export function OneOf<const T extends string>(words: readonly T[], options: TSchemaOptions = {}) {
  return Type.Unsafe<T>({ type: 'string', enum: [...words], ...options })
}

/** The schema's values, or null. Its `type` must be a single one. */
export function Nullable<T extends TSchema>(schema: T) {
  const { type, enum: words, ...rest } = schema as T & { type: string; enum?: TLiteralValue[] }
  return Type.Unsafe<Static<T> | null>({ ...rest, type: [type, 'null'], ...(words && { enum: [...words, null] }) })
}

/** A single string, or an array of strings. */
export function OneOrMore(one: TSchema, { minItems, maxItems, ...options }: TSchemaOptions & Sizes) {
  const array = { type: 'array', items: one, ...(minItems !== undefined && { minItems }), maxItems }
  return Type.Unsafe<string | string[]>({ ...options, anyOf: [one, array] })
}

interface Sizes {
  readonly minItems?: number
  readonly maxItems: number
}

/** An object without additional properties: every body and query. `elsewhere` has hints for names that belong elsewhere. */
export function Strict<T extends TProperties>(properties: T, options: TSchemaOptions = {}): TObject<T> {
  return Type.Object(properties, { additionalProperties: false, ...options })
}

/** What a change answers of a noun. `always` are its ids and flags; a caller without the `scope` to read gets no more. */
export function ReadPart<T extends TProperties, const K extends keyof T & string>(
  { properties }: TObject<T>,
  always: readonly K[],
  { title, scope }: { readonly title: string; readonly scope: string },
) {
  const description = `Without the scope \`${scope}\` it has ${always.join(', ')} alone.`
  type Whole = Static<TObject<T>>
  type Always = Pick<Whole, K & keyof Whole>
  return Type.Unsafe<Always & Partial<Whole>>({ type: 'object', required: [...always], properties, title, description })
}

/** The fields of `always` for a caller who may not read, else the whole. */
export function readPart<T extends object, K extends keyof T>(
  whole: T,
  always: readonly K[],
  mayRead: boolean,
): Pick<T, K> & Partial<T> {
  if (mayRead) return whole
  return Object.fromEntries(always.map((name) => [name, whole[name]])) as Pick<T, K> & Partial<T>
}

export const nextCursor = Nullable(
  Type.String({
    description: 'The `cursor` for the next page; null if there is none.',
    examples: ['WyJrTTN1c2ZLeTRhcDNxQ1JfIiwxNzk1NzA4Mjk5MDAwXQ'],
  }),
)

/** `{data: […], next_cursor}`. */
export function ListOf<T extends TSchema>(item: T) {
  return Type.Object({ data: Type.Array(item), next_cursor: nextCursor })
}

/** One page of a list: `page` counts from 0, `total` is exact. */
export function PageOf<T extends TSchema>(item: T) {
  return Type.Object({
    data: Type.Array(item),
    total: Type.Integer({ minimum: 0 }),
    page: Type.Integer({ minimum: 0 }),
    has_more: Type.Boolean(),
    next_cursor: nextCursor,
  })
}

export const cursorParameter = Type.Optional(
  Line({
    maxLength: 2_000,
    description:
      '`next_cursor` of the page before, or empty for the first page. The other parameters, except `limit`, ' +
      'must be the same. Entries that come or go meanwhile do not move the others: none is left out or comes ' +
      'twice.',
  }),
)

/** `limit` and `cursor` of a query. */
export function inPages(maximum: number, fallback: number) {
  return { limit: Type.Optional(Type.Integer({ minimum: 1, maximum, default: fallback })), cursor: cursorParameter }
}

/** `limit` and `cursor` of a list that is answered whole where they are absent. */
export const wholeOrPages = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, description: 'Without it, the whole list.' })),
  cursor: cursorParameter,
}

/** `limit`, `cursor` and `page` of a query. */
export function paging(maximum: number, fallback: number) {
  return {
    ...inPages(maximum, fallback),
    page: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000, default: 0 })),
  }
}

/** The path parameters of an item. They are for the OpenAPI document: `pathId` checks the form, since an invalid id is a
 *  404. */
export const ById = Type.Object({ id: Type.String({ format: 'uuid' }) })

/** An id of a path that is not a UUID names nothing (docs/reference/http.md). */
export function pathId(id: string, what: string): string {
  if (!isUuid(id)) throw notFound(what)
  return id.toLowerCase()
}
