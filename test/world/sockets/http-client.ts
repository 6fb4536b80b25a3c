import assert from 'node:assert/strict'
import type { ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { ajv } from '#/http/validation/validate.ts'

/** A response, with the body parsed if it is JSON. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it, field by field
  readonly body: any
  readonly bytes: Buffer
}

export interface RequestOptions {
  readonly key?: string | null
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

/** A client of the API that checks every answer against the OpenAPI document. */
export class HttpClient {
  readonly #base: string
  #document: Promise<Description> | undefined

  constructor(base: string) {
    this.#base = base
  }

  async request(method: string, path: string, { key, body, headers = {} }: RequestOptions = {}): Promise<Answer> {
    const raw = typeof body === 'string' || body instanceof Uint8Array
    const response = await fetch(new URL(path, this.#base), {
      method,
      redirect: 'manual',
      headers: {
        ...(key != null && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: raw ? (body as string) : JSON.stringify(body) }),
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    const json = response.headers.get('content-type')?.startsWith('application/json') ?? false
    const answer = {
      status: response.status,
      headers: response.headers,
      bytes,
      body: json ? JSON.parse(bytes.toString()) : null,
    }
    if (path.startsWith('/v1/')) {
      described ??= await this.description()
      assertDocumented(described, method, new URL(path, this.#base).pathname, answer)
    }
    return answer
  }

  /** The OpenAPI document that the service serves, as text. */
  async document(): Promise<string> {
    return (await fetch(new URL('/v1/openapi.json', this.#base))).text()
  }

  /** The operations of the document, with the parameters, bodies and responses that they refer to. */
  description(): Promise<Description> {
    this.#document ??= this.document().then(parsed)
    return this.#document
  }
}

/** The document of the first service in this process: others would generate the same, for 0.2 s of CPU
 *  (test/http/description.test.ts). */
let described: Description | undefined

/** One object for all services that give out the same, but for where they are, since its schemas are compiled once each. */
function parsed(text: string): Description {
  const same = text.replace(/"servers":\[.*?\]/, '')
  const description = descriptions.get(same) ?? resolved(JSON.parse(text))
  descriptions.set(same, description)
  return description
}

/** Reads what operations refer to; schemas within schemas stay references. */
function resolved(document: Description): Description {
  const at = <T>(node: T): T => {
    const { $ref } = node as { readonly $ref?: string }
    const parts = $ref?.slice('#/'.length).split('/') ?? []
    return $ref === undefined
      ? node
      : (parts.reduce((inner: unknown, part) => (inner as Record<string, unknown>)[part], document) as T)
  }
  for (const operation of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
    const media = operation.requestBody?.content['application/json']
    Object.assign(operation, {
      ...(operation.parameters && { parameters: operation.parameters.map(at) }),
      ...(media && { requestBody: { content: { 'application/json': { ...media, schema: at(media.schema) } } } }),
      responses: Object.fromEntries(Object.entries(operation.responses).map(([status, one]) => [status, at(one)])),
    })
  }
  return document
}

const descriptions = new Map<string, Description>()

/** An answer names its request, has a documented status for the operation, and the body that goes with that. */
export function assertDocumented(
  description: Description,
  method: string,
  path: string,
  { status, headers, body }: Pick<Answer, 'status' | 'headers' | 'body'>,
): void {
  const id = headers.get('x-request-id') ?? ''
  assert.match(id, /^req_/, 'every answer names its request')
  if (status >= 400 && method !== 'HEAD') assert.equal(body?.error?.request_id, id, 'an error names it too')
  const operation = operationFor(description, method, path)
  if (!operation) {
    assert.ok([400, 401, 404, 429].includes(status), `${method} ${path} is not documented and answers ${status}`)
    return
  }
  const response = operation.responses[String(status)]
  assert.ok(response, `${method} ${path} answers ${status}, which is not documented: ${JSON.stringify(body)}`)
  const schema = response.content?.['application/json']?.schema
  if (!schema || body === null) return
  const validate = validatorOf(description, schema)
  assert.ok(
    validate(body),
    `${method} ${path} ${status}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body)}`,
  )
}

export interface Description {
  readonly openapi: string
  readonly paths: Record<string, Record<string, Operation>>
  readonly webhooks: Record<string, Record<string, object>>
  readonly components: { readonly schemas: Record<string, Schema> }
}

export interface Operation {
  readonly operationId: string
  readonly description: string
  readonly tags: readonly string[]
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly 'x-required-scope': string | string[]
  readonly 'x-required-permission'?: string
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly schema: Schema
  }[]
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { readonly schema: Schema; readonly example?: object } }
  }
  readonly responses: Record<
    string,
    {
      readonly content?: Record<
        string,
        { readonly schema: object; readonly example?: unknown; readonly examples?: object }
      >
    }
  >
}

/** The types in our schemas of requests. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly additionalProperties?: unknown
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly pattern?: string
  readonly format?: string
}

function operationFor(description: Description, method: string, path: string): Operation | undefined {
  const [verb, template] = operationName(description, method, path)?.split(' ') ?? []
  return description.paths[template ?? '']?.[verb?.toLowerCase() ?? '']
}

/** `GET /v1/labels/{id}`; HEAD is GET without the body (RFC 9110, section 9.3.2). */
export function operationName({ paths }: Description, method: string, path: string): string | undefined {
  const steps = path.split('/').map(decoded)
  // An empty step is a parameter too, in the router.
  const matching = templatesOf(paths, steps.length).filter(({ parts }) =>
    parts.every((part, at) => part.startsWith('{') || part === steps[at]),
  )
  // A path without parameters is meant before one with them, as in the router.
  const { template } = matching.find((one) => !one.template.includes('{')) ?? matching[0] ?? {}
  const verb = method === 'HEAD' ? 'GET' : method
  return template !== undefined && paths[template]?.[verb.toLowerCase()] ? `${verb} ${template}` : undefined
}

interface Template {
  readonly template: string
  readonly parts: readonly string[]
}

const templates = new WeakMap<Description['paths'], Map<number, Template[]>>()

/** Those of so many steps. */
function templatesOf(paths: Description['paths'], steps: number): readonly Template[] {
  const known = templates.get(paths)
  if (known) return known.get(steps) ?? []
  const all = Object.keys(paths).map((template) => ({ template, parts: template.split('/') }))
  templates.set(
    paths,
    Map.groupBy(all, ({ parts }) => parts.length),
  )
  return templatesOf(paths, steps)
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}

const validators = new WeakMap<object, ValidateFunction>()

function validatorOf(description: Description, schema: object): ValidateFunction {
  const validate = validators.get(schema) ?? compilerOf(description)(schema)
  validators.set(schema, validate)
  return validate
}

type Compile = (schema: object) => ValidateFunction

const compilers = new WeakMap<Description, Compile>()

/** Compiles each component once, and once what several operations answer: for each answer anew, that takes a tenth of the CPU
 *  of the tests. */
function compilerOf(description: Description): Compile {
  const known = compilers.get(description)
  if (known) return known
  const own = new Ajv2020({ ...ajv.opts, inlineRefs: false })
  for (const [name, format] of Object.entries(ajv.formats)) if (format) own.addFormat(name, format)
  const $id = 'https://description.test/'
  own.addSchema({ $id, components: description.components })
  const compiled = new Map<string, ValidateFunction>()
  const compile = (schema: object) => {
    const text = JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"${$id}#/`)
    const validate = compiled.get(text) ?? own.compile(JSON.parse(text))
    compiled.set(text, validate)
    return validate
  }
  compilers.set(description, compile)
  return compile
}
