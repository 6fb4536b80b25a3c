import { forValue, type SchemaNode, takes } from './schema-node.ts'

/** Removes optional fields that are null, unless null has a meaning: many programs write absent values so. */
export function removeNulls(schema: SchemaNode, value: unknown): void {
  const { properties, required = [], items } = forValue(schema, value) ?? {}
  if (Array.isArray(value)) {
    if (items && (items.properties || items.anyOf)) for (const one of value) removeNulls(items, one)
    return
  }
  if (!properties || typeof value !== 'object' || value === null) return
  const fields = value as Record<string, unknown>
  for (const [name, property] of Object.entries(properties)) {
    if (!Object.hasOwn(fields, name)) continue
    if (fields[name] === null && !required.includes(name) && !takes(property, 'null')) delete fields[name]
    else removeNulls(property, fields[name])
  }
}
