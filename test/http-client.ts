import assert from 'node:assert/strict'
import { ajv } from '#/http/validate.ts'

/** What came back, with the body read as JSON where it is. */
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

/** Speaks to the API as a program does, and holds every answer against the OpenAPI document. */
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
    if (path.startsWith('/v1/')) await this.#assertDocumented(method, new URL(path, this.#base).pathname, answer)
    return answer
  }

  /** The OpenAPI document that the service gives out. */
  description(): Promise<Description> {
    this.#document ??= fetch(new URL('/v1/openapi.json', this.#base)).then(
      (response) => response.json() as Promise<Description>,
    )
    return this.#document
  }

  async #assertDocumented(method: string, path: string, { status, headers, body }: Answer): Promise<void> {
    assert.match(headers.get('x-request-id') ?? '', /^req_/, 'every answer names its request')
    const description = await this.description()
    const operation = operationFor(description, method, path)
    if (!operation) {
      assert.ok([400, 401, 404, 429].includes(status), `${method} ${path} is not documented and answers ${status}`)
      return
    }
    const response = operation.responses[String(status)]
    assert.ok(response, `${method} ${path} answers ${status}, which is not documented: ${JSON.stringify(body)}`)
    const schema = response.content?.['application/json']?.schema
    if (!schema || body === null) return
    const validate = compiled(description, schema)
    assert.ok(
      validate(body),
      `${method} ${path} ${status}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body)}`,
    )
  }
}

export interface Description {
  readonly openapi: string
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: { readonly schemas: Record<string, object> }
}

export interface Operation {
  readonly 'x-required-scope': string | string[]
  readonly parameters?: { readonly name: string; readonly in: string; readonly required?: boolean }[]
  readonly responses: Record<string, { readonly content?: Record<string, { readonly schema: object }> }>
}

function operationFor({ paths }: Description, method: string, path: string): Operation | undefined {
  const matching = Object.keys(paths).filter((template) => {
    const pattern = template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[^}]+\}/g, '[^/]+')
    return new RegExp(`^${pattern}$`).test(path)
  })
  // A path without parameters is meant before one with them, as in the router.
  const template = matching.find((one) => !one.includes('{')) ?? matching[0]
  return template === undefined ? undefined : paths[template]?.[method.toLowerCase()]
}

const validators = new WeakMap<object, ReturnType<typeof ajv.compile>>()

function compiled(description: Description, schema: object) {
  const known = validators.get(schema)
  if (known) return known
  const validate = ajv.compile({ ...schema, components: description.components })
  validators.set(schema, validate)
  return validate
}
