import { exampleOf } from './examples.ts'

interface SchemaNode {
  [key: string]: unknown
}

/** Removes our own keywords from a schema; our own formats become patterns. */
function publicPart(node: SchemaNode): SchemaNode {
  if (node.type === undefined && node.anyOf === undefined) return node
  const { rule: _rule, elsewhere: _elsewhere, ...rest } = node
  const pattern = patterns[String(rest.format)]
  if (typeof rest.type !== 'string' && !Array.isArray(rest.type)) return rest
  return pattern === undefined ? rest : { ...omitting(rest, 'format'), pattern }
}

function omitting(node: SchemaNode, key: string): SchemaNode {
  return Object.fromEntries(Object.entries(node).filter(([one]) => one !== key))
}

/** The formats of `validate.ts` as patterns. */
const patterns: Readonly<Record<string, string>> = {
  line: '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$',
  text: '^[^\\u0000]*$',
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>

interface Operation {
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

type Content = Readonly<Record<string, SchemaNode>>

/** Adds examples to bodies and to successful answers. */
function withExamples(paths: Paths): SchemaNode {
  return mapped(paths, (operations) =>
    mapped(operations, ({ requestBody, responses, ...operation }) => ({
      ...operation,
      ...(requestBody && { requestBody: { ...requestBody, content: exemplified(requestBody.content) } }),
      responses: mapped(responses, (one) => (one.content ? { ...one, content: exemplified(one.content) } : one)),
    })),
  )
}

function exemplified(content: Content): SchemaNode {
  return mapped(content, (media, type) =>
    type === 'application/json' && media.schema && !media.examples && media.example === undefined
      ? { ...media, example: exampleOf(media.schema) }
      : media,
  )
}

function mapped<T>(all: Readonly<Record<string, T>>, change: (one: T, name: string) => unknown): SchemaNode {
  return Object.fromEntries(Object.entries(all).map(([name, one]) => [name, change(one, name)]))
}

/** The published document: each schema with a `title` is a component, for client generators; bodies and answers have
 *  examples. */
export function publishedDescription(document: SchemaNode): SchemaNode {
  const schemas: SchemaNode = {}
  const hoist = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(hoist)
    if (typeof node !== 'object' || node === null) return node
    const copy = Object.fromEntries(
      Object.entries(publicPart(node as SchemaNode)).map(([key, value]) => [key, hoist(value)]),
    ) as SchemaNode
    if (typeof copy.title !== 'string' || typeof copy.type !== 'string') return copy
    schemas[copy.title] = copy
    return { $ref: `#/components/schemas/${copy.title}` }
  }
  const { paths, components = {}, ...rest } = document
  const hoisted = hoist(withExamples(paths as Paths))
  return { ...rest, paths: hoisted, components: { ...(components as SchemaNode), schemas } }
}
