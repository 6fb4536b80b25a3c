import { isDeepStrictEqual } from 'node:util'
import { errorComponents } from './errors.ts'
import { exampleOf } from './examples.ts'

interface SchemaNode {
  [key: string]: unknown
}

/** Removes our own keywords from a schema; our own formats become patterns. */
function publicPart(node: SchemaNode): SchemaNode {
  if (node.type === undefined && node.anyOf === undefined) return node
  const { rule: _rule, elsewhere: _elsewhere, form: _form, ...rest } = node
  const pattern = patterns[String(rest.format)]
  if (typeof rest.type !== 'string' && !Array.isArray(rest.type)) return rest
  return pattern === undefined ? rest : { ...omitting(rest, 'format'), pattern }
}

function omitting(node: SchemaNode, ...keys: readonly string[]): SchemaNode {
  return Object.fromEntries(Object.entries(node).filter(([one]) => !keys.includes(one)))
}

/** The formats of `validate.ts` as patterns. */
const patterns: Readonly<Record<string, string>> = {
  line: '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$',
  text: '^[^\\u0000]*$',
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>

interface Operation {
  readonly operationId?: string
  readonly parameters?: readonly SchemaNode[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, Answer>>
}

interface Answer {
  readonly description: string
  readonly headers?: SchemaNode
  readonly content?: Content
}

type Content = Readonly<Record<string, SchemaNode>>

/** Gives bodies and successful answers names and examples. */
function withNames(paths: Paths): SchemaNode {
  return mapped(paths, (operations) =>
    mapped(operations, ({ requestBody, responses, ...operation }) => {
      const name = (operation.operationId ?? '').replace(/^[a-z]/, (letter) => letter.toUpperCase())
      return {
        ...operation,
        ...(requestBody && { requestBody: { ...requestBody, content: named(requestBody.content, `${name}Body`) } }),
        responses: mapped(responses, (one) =>
          one.content ? { ...one, content: named(one.content, `${name}Response`) } : one,
        ),
      }
    }),
  )
}

function named(content: Content, name: string): Content {
  return mapped(content, (media, type) => {
    if (type !== 'application/json' || !isNode(media.schema)) return media
    const example = media.examples || media.example !== undefined ? {} : { example: exampleOf(media.schema) }
    return { ...media, schema: { ...media.schema, title: media.schema.title ?? name }, ...example }
  }) as Content
}

function mapped<T>(all: Readonly<Record<string, T>>, change: (one: T, name: string) => unknown): SchemaNode {
  return Object.fromEntries(Object.entries(all).map(([name, one]) => [name, change(one, name)]))
}

function isNode(value: unknown): value is SchemaNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Where schemas with a `title` go. */
class Components {
  readonly schemas: SchemaNode = {}
  readonly headers: SchemaNode = {}
  readonly parameters: SchemaNode = {}

  /** The node with references for the schemas in it that have a title. */
  hoist(node: unknown): unknown {
    if (Array.isArray(node)) return node.map((one) => this.hoist(one))
    if (!isNode(node)) return node
    const copy = mapped(publicPart(node), (value) => this.hoist(value))
    if (typeof copy.title !== 'string' || !(copy.type || copy.anyOf || copy.oneOf)) return copy
    const { type } = copy
    if (!Array.isArray(type)) return this.#component(copy.title, copy)
    const of = type.filter((one) => one !== 'null')
    return { anyOf: [this.#component(copy.title, { ...copy, type: of[0] }), { type: 'null' }] }
  }

  /** What differs from place to place is beside the reference. */
  #component(title: string, schema: SchemaNode): SchemaNode {
    const ref = { $ref: `#/components/schemas/${title}` }
    const known = this.schemas[title]
    this.schemas[title] = known ?? schema
    if (!isNode(known)) return ref
    const besides = ['description', 'examples']
    if (!isDeepStrictEqual(omitting(known, ...besides), omitting(schema, ...besides)))
      throw new Error(`Two schemas have the title ${title}`)
    const other = schema.description !== known.description && schema.description !== undefined
    return other ? { ...ref, description: schema.description } : ref
  }

  /** Header fields are the same wherever they have one name. */
  hoistFields(operation: SchemaNode): SchemaNode {
    const { parameters, responses } = operation as unknown as Operation
    return {
      ...operation,
      ...(parameters && {
        parameters: parameters.map((one) => (one.in === 'header' ? this.#shared('parameters', one.name, one) : one)),
      }),
      responses: mapped(responses, (one) => {
        if (one.description.startsWith('#/')) return { $ref: one.description }
        return { ...one, headers: mapped(one.headers ?? {}, (field, name) => this.#shared('headers', name, field)) }
      }),
    }
  }

  #shared(kind: 'headers' | 'parameters', name: unknown, field: unknown): SchemaNode {
    this[kind][String(name)] ??= field
    return { $ref: `#/components/${kind}/${name}` }
  }
}

/** The published document: each schema with a `title` is a component, for client generators, and so is each body and each answer;
 *  they have examples. */
export function publishedDescription(document: SchemaNode): SchemaNode {
  const { paths, webhooks = {}, components = {}, ...rest } = document
  const shared = new Components()
  const hoisted = shared.hoist(withNames(paths as Paths)) as Paths
  const posted = shared.hoist(withNames(webhooks as Paths))
  const responses = shared.hoist(errorComponents)
  return {
    ...rest,
    paths: mapped(hoisted, (operations) =>
      mapped(operations, (one) => shared.hoistFields(one as unknown as SchemaNode)),
    ),
    webhooks: posted,
    components: { ...(components as SchemaNode), ...shared, responses },
  }
}
