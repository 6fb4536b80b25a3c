/** The parts of a schema that our own code reads. */
export interface SchemaNode {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly required?: readonly string[]
  readonly items?: SchemaNode
  readonly anyOf?: readonly SchemaNode[]
  readonly rule?: Rule | readonly Rule[]
}

/** A check beyond the schema. Routes make it themselves; it is repeated here when a body has an error, so that all errors
 *  are reported at once. Throws a `Refusal` that names the field, or a field of the object. */
type Rule = (value: never, field: string) => unknown

/** Whether the schema allows values of the type, or `null`. */
export function takes({ type, anyOf }: SchemaNode, wanted: string): boolean {
  return anyOf ? anyOf.some((one) => takes(one, wanted)) : [type].flat().includes(wanted)
}

export function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
}

/** The schema, or its alternative for the type of the value. */
export function forValue(schema: SchemaNode, value: unknown): SchemaNode | undefined {
  return schema.anyOf ? schema.anyOf.find((one) => takes(one, typeOf(value))) : schema
}
