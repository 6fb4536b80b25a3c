/** What our own code reads of a schema; the rest is for the validator and for the description. */
export interface SchemaNode {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly required?: readonly string[]
  readonly items?: SchemaNode
  readonly anyOf?: readonly SchemaNode[]
  readonly rule?: Rule | readonly Rule[]
}

/** What a value must keep to beyond its schema. It is asked once something is wrong with a body, so that all of that is
 *  told at once; the routes hold to it by themselves. Throws a `Refusal` that names the field, or a field of the object. */
type Rule = (value: never, field: string) => unknown

/** Whether the schema takes values of the type; `null` is a type too. */
export function takes({ type, anyOf }: SchemaNode, wanted: string): boolean {
  return anyOf ? anyOf.some((one) => takes(one, wanted)) : [type].flat().includes(wanted)
}

export function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
}

/** The schema itself, or of its alternatives the one for values of this kind. */
export function forValue(schema: SchemaNode, value: unknown): SchemaNode | undefined {
  return schema.anyOf ? schema.anyOf.find((one) => takes(one, typeOf(value))) : schema
}
