import type { Type as Typebox } from 'typebox'

export type { Static, TLiteralValue, TObject, TProperties, TSchema, TSchemaOptions } from 'typebox'

type Schema = Readonly<Record<string, unknown>>

const optional = new WeakSet<Schema>()

const one = (type: string) => (options?: Schema) => ({ type, ...options })

/** Schemas with the types that typebox gives them. Its own code for them is 373 modules: a third of what a command loads. */
export const Type = {
  Array: (items: Schema, options?: Schema) => ({ type: 'array', items, ...options }),
  Boolean: one('boolean'),
  Integer: one('integer'),
  Literal: (value: string | number | boolean, options?: Schema) => ({ type: typeof value, const: value, ...options }),
  Number: one('number'),
  Object(properties: Readonly<Record<string, Schema>>, options?: Schema) {
    const required = Object.keys(properties).filter((name) => !optional.has(properties[name] ?? {}))
    return { type: 'object', ...(required.length > 0 && { required }), properties, ...options }
  },
  Optional(schema: Schema) {
    const copy = { ...schema }
    optional.add(copy)
    return copy
  },
  String: one('string'),
  Union: (anyOf: readonly Schema[], options?: Schema) => ({ anyOf, ...options }),
  Unsafe: (schema: Schema) => schema,
  // The types also hold marks that a schema itself need not bear.
} as unknown as Pick<
  typeof Typebox,
  'Array' | 'Boolean' | 'Integer' | 'Literal' | 'Number' | 'Object' | 'Optional' | 'String' | 'Union' | 'Unsafe'
>
