import type { ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { FastifyRequest, FastifySchemaCompiler } from 'fastify'
import { type FieldError, invalid, Refusal } from '#/base/errors.ts'
import type { App } from '../app-type.ts'
import { Strict } from '../schemas/shared-schemas.ts'
import { brokenRules, fieldErrors, isModest } from './field-errors.ts'
import { removeNulls } from './nulls.ts'
import { type SchemaNode, takes } from './schema-node.ts'

/** Not allowed in a header, a name or an address: control characters and line separators. */
const unfitForLine = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

const options = {
  verbose: true,
  coerceTypes: false,
  useDefaults: false,
  removeAdditional: false,
  strict: false,
  // A test validates the schemas; here it would add 0.2 s to every start.
  validateSchema: false,
  // JSON.parse reads 1e999 as Infinity.
  strictNumbers: true,
} as const

export const ajv = withFormats(new Ajv2020({ ...options, allErrors: false }))
const thorough = withFormats(new Ajv2020({ ...options, allErrors: true }))

function withFormats(made: Ajv2020): Ajv2020 {
  addFormats.default(made)
  made.addFormat('text', (text: string) => text.isWellFormed() && !text.includes('\u0000'))
  made.addFormat('line', (text: string) => text.isWellFormed() && !unfitForLine.test(text))
  return made
}

/** A route that declares no query parameters refuses all of them. */
export function refuseUndeclaredQueries(app: App): void {
  app.addHook('onRoute', (route) => {
    if (route.config?.scope !== undefined || route.config?.access !== undefined)
      route.schema = { querystring: Strict({}), ...route.schema }
  })
}

type Part = 'query' | 'body'

/** Validates a body or a query for Fastify; routes check path parameters themselves. A schema is compiled for its first
 *  request: compiling all of them would add 0.5 s to every start. Nothing is coerced or defaulted, except that decimal
 *  integers and booleans of a query are parsed, and meaningless nulls of a body are removed. */
export const validatorCompiler: FastifySchemaCompiler<SchemaNode> = ({ schema, httpPart }) => {
  if (httpPart === 'params') return (value: unknown) => ({ value })
  let compiled: ValidateFunction | undefined
  const part = httpPart === 'querystring' ? 'query' : 'body'
  return (data: unknown) => {
    const value = part === 'query' ? readQuery(schema, data as Record<string, unknown>) : data
    if (part === 'body') removeNulls(schema, value)
    compiled ??= ajv.compile(schema)
    if (compiled(value)) return { value }
    return {
      error: refusalOf(part, isModest(value) ? every(schema, value, part) : fieldErrors(compiled.errors ?? [], part)),
    }
  }
}

function refusalOf(part: Part, [first, ...others]: readonly FieldError[]): Refusal {
  if (!first) return invalid(part, 'The request does not match its schema')
  return new Refusal('invalid_request', first.message, { field: first.field, others })
}

/** Adds all other errors of the body to a refusal from a route. */
export function withOthers(refusal: Refusal, { body, routeOptions }: FastifyRequest): Refusal {
  return withOthersOf(refusal, routeOptions?.schema?.body as SchemaNode | undefined, body)
}

/** The same of a body that is part of another. */
export function withOthersOf(refusal: Refusal, schema: SchemaNode | undefined, body: unknown): Refusal {
  const { code, message, field, fix, retryAfter } = refusal
  if (code !== 'invalid_request' || field === undefined || !schema || body == null || !isModest(body)) return refusal
  const others = every(schema, body, 'body').filter((one) => one.field !== field)
  return new Refusal(code, message, { field, fix, others, retryAfter, cause: refusal.cause })
}

const compiledThoroughly = new WeakMap<SchemaNode, ValidateFunction>()

/** All errors: of the schema, and of the rules for fields that match it. */
function every(schema: SchemaNode, value: unknown, part: Part): FieldError[] {
  const validate = compiledThoroughly.get(schema) ?? thorough.compile(schema)
  compiledThoroughly.set(schema, validate)
  const faults = validate(value) ? [] : fieldErrors(validate.errors ?? [], part)
  const reported = new Set(faults.map(({ field }) => field))
  const rules = part === 'body' ? brokenRules(schema, value).filter(({ field }) => !reported.has(field)) : []
  const all = new Map([...faults, ...rules].map((fault) => [`${fault.field} ${fault.message}`, fault]))
  return [...all.values()]
}

function readQuery(schema: SchemaNode, query: Record<string, unknown>): Record<string, unknown> {
  const { properties = {} } = schema
  const read: Record<string, unknown> = Object.create(null)
  for (const [name, value] of Object.entries(query)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    read[name] = typeof value === 'string' && property ? readScalar(property, value) : value
  }
  return read
}

function readScalar(schema: SchemaNode, text: string): unknown {
  if (takes(schema, 'integer') && /^(?:0|[1-9][0-9]{0,14})$/.test(text)) return Number(text)
  if (takes(schema, 'boolean') && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
