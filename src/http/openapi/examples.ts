interface Exemplary {
  readonly type?: string | readonly string[]
  readonly anyOf?: readonly Exemplary[]
  readonly oneOf?: readonly Exemplary[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly examples?: readonly unknown[]
  readonly default?: unknown
  readonly format?: string
  readonly minimum?: number
  readonly properties?: Readonly<Record<string, Exemplary>>
  readonly items?: Exemplary
}

/** An example value of the schema: its own, or one composed of those of its parts. */
export function exampleOf(schema: Exemplary): unknown {
  const { type, anyOf, oneOf, examples, enum: words, properties = {}, items } = schema
  if (examples && examples.length > 0) return examples[0]
  if (schema.const !== undefined) return schema.const
  if (schema.default !== undefined) return schema.default
  if (words) return words[0]
  const first = anyOf?.[0] ?? oneOf?.[0]
  if (first) return exampleOf(first)
  switch ([type].flat()[0]) {
    case 'object':
      return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, exampleOf(one)]))
    case 'array':
      return items ? [exampleOf(items)] : []
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return false
    case 'string':
      return ofFormat(schema.format) ?? (Array.isArray(type) && type.includes('null') ? null : '')
    default:
      return null
  }
}

function ofFormat(format: string | undefined): string | undefined {
  if (format === 'uuid') return '0199f0a2-7a52-7cc1-a1f1-0d5b7f3a1c55'
  return format === 'date-time' ? '2026-11-21T07:44:33.123Z' : undefined
}
