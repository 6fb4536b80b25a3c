import type { Schema } from '#test/world/sockets/http-client.ts'

/** What is wrong with a request, the field that the answer must name, and the value that it has in the place of the good one; undefined
 *  leaves it out. */
export interface Wrong {
  readonly what: string
  readonly field: string
  readonly value: unknown
}

/** Reads a reference to a component. */
type Resolve = (schema: Schema) => Schema

/** Longer texts would be large bodies, which have limits of their own (test/http/broken-requests.test.ts). */
const longest = 10_000

/** One value for each way in which a schema can be broken: of another type, too long, too short, out of range, no word of the list, without
 *  what it must have, with what it must not have. `good` is one that fits, if it is known. */
export function wrongValues(schema: Schema, resolve: Resolve, field = '', good?: unknown): Wrong[] {
  const choices = alternatives(schema, resolve)
  const types = choices.flatMap(({ type }) => [type ?? []].flat())
  const other = samplesOfTypes.find(
    ([type]) => !types.some((one) => one === type || (one === 'number' && type === 'integer')),
  )
  return [
    ...(types.length > 0 && other ? [{ what: `a value of the type ${other[0]}`, field, value: other[1] }] : []),
    ...choices.flatMap((choice) => ofOneType(choice, resolve, field, good)),
  ]
}

/** None may stand in a text of one line, which may come into a header. */
const lineBreaks = ['\n', '\r', '\u2028']

const samplesOfTypes = [
  ['integer', 5],
  ['string', 'x'],
  ['boolean', true],
  ['array', []],
] as const

function alternatives(schema: Schema, resolve: Resolve): Schema[] {
  const { anyOf, ...one } = resolve(schema)
  return anyOf ? anyOf.flatMap((choice) => alternatives(choice, resolve)) : [one]
}

function ofOneType(schema: Schema, resolve: Resolve, field: string, good: unknown): Wrong[] {
  const { type, minimum, maximum, minLength, maxLength, minItems, maxItems, pattern, format, items } = schema
  const one = (what: string, value: unknown) => ({ what, field, value })
  switch ([type].flat()[0]) {
    case 'string':
      return [
        ...(schema.enum ? [one('none of the words', 'none of them')] : []),
        ...(maxLength !== undefined && maxLength <= longest ? [one('too long', 'x'.repeat(maxLength + 1))] : []),
        ...(minLength ? [one('too short', '')] : []),
        ...(pattern?.includes('\\u0000') ? [one('with U+0000', 'a\0b'), one('with half a character', 'a\ud800b')] : []),
        ...(pattern?.includes('\\u001f')
          ? lineBreaks.map((text) => one(`with ${JSON.stringify(text)}`, `a${text}b`))
          : []),
        ...(format === 'uuid' || format === 'date-time' ? [one(`no ${format}`, 'x')] : []),
      ]
    case 'integer':
    case 'number':
      return [
        ...(minimum === undefined ? [] : [one('too small', minimum - 1)]),
        ...(maximum === undefined ? [] : [one('too large', maximum + 1)]),
        ...(type === 'integer' ? [one('a fraction', (minimum ?? 0) + 0.5)] : []),
      ]
    case 'array': {
      const [first] = Array.isArray(good) ? good : []
      const within = items ? wrongValues(items, resolve, `${field}[0]`, first) : []
      return [
        ...(minItems ? [one('too few', [])] : []),
        ...(maxItems !== undefined && maxItems < longest
          ? [one('too many', Array(maxItems + 1).fill(first ?? 'x'))]
          : []),
        ...within.map((wrong) => ({ ...wrong, value: [wrong.value] })),
      ]
    }
    case 'object':
      return ofObject(schema, resolve, field, { ...(good as object) })
    default:
      return []
  }
}

function ofObject(schema: Schema, resolve: Resolve, field: string, good: Record<string, unknown>): Wrong[] {
  const { properties = {}, required = [] } = schema
  const at = (name: string) => (field === '' ? name : `${field}.${name}`)
  const without = (name: string) => Object.fromEntries(Object.entries(good).filter(([one]) => one !== name))
  return [
    ...(schema.additionalProperties === false
      ? [{ what: 'unknown', field: at('nobody_knows'), value: { ...good, nobody_knows: 1 } }]
      : []),
    ...(schema.minProperties ? [{ what: 'with nothing', field, value: {} }] : []),
    ...required.map((name) => ({ what: 'missing', field: at(name), value: without(name) })),
    ...Object.entries(properties).flatMap(([name, property]) =>
      wrongValues(property, resolve, at(name), good[name]).map((wrong) => ({
        ...wrong,
        value: { ...good, [name]: wrong.value },
      })),
    ),
  ]
}

/** The same of a parameter of a query, which is a text. */
export function wrongTexts(name: string, schema: Schema): Wrong[] {
  const given = wrongValues(schema, (one) => one, name).filter(({ value }) => !isForBodies(schema, value))
  const types = [schema.type].flat()
  const words = types.includes('boolean') ? ['1', ''] : types.includes('integer') ? ['x', '', '1e1', '05'] : []
  return [...given, ...words.map((value) => ({ what: `"${value}"`, field: name, value }))]
}

/** Every number is a text in a query, and a lone word is one of a list. */
function isForBodies({ type }: Schema, value: unknown): boolean {
  if (typeof value === 'string') return type === undefined || !value.isWellFormed()
  return type === undefined || typeof value === 'object' || type === 'string'
}
