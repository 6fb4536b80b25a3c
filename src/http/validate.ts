import type { ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { FastifyRequest, FastifySchemaCompiler } from 'fastify'
import { type Fault, invalid, Refusal } from '#/errors.ts'
import { brokenRules, faultsIn, isModest } from './faults.ts'
import { leaveOutNulls } from './nulls.ts'
import { type SchemaNode, takes } from './schema.ts'

/** What may stand in a header, a name or an address: no C0 or C1 control, no DEL, no line separator. */
const unfitForLine = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

const options = {
  // An error has the value and the schema that it is about.
  verbose: true,
  coerceTypes: false,
  useDefaults: false,
  removeAdditional: false,
  strict: false,
  // The description of the API is held against OpenAPI's schema in the tests; here it would take 0.2 s of every start.
  validateSchema: false,
  // JSON reads 1e999 as Infinity, which is no number to us.
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

type Part = 'query' | 'body'

/** Validates a body or a query for Fastify; the form of a path's parameters is for its route. A schema is compiled for the
 *  first request that has it, a few milliseconds, which for all schemas would be 0.5 s of every start. Nothing is coerced
 *  or filled in; only the plain decimal integers and the `true` and `false` of a query become what they stand for, and
 *  a null in a body that means nothing is left out. */
export const validatorCompiler: FastifySchemaCompiler<SchemaNode> = ({ schema, httpPart }) => {
  if (httpPart === 'params') return (value: unknown) => ({ value })
  let compiled: ValidateFunction | undefined
  const part = httpPart === 'querystring' ? 'query' : 'body'
  return (data: unknown) => {
    const value = part === 'query' ? readQuery(schema, data as Record<string, unknown>) : data
    if (part === 'body') leaveOutNulls(schema, value)
    compiled ??= ajv.compile(schema)
    if (compiled(value)) return { value }
    return {
      error: refusalOf(part, isModest(value) ? every(schema, value, part) : faultsIn(compiled.errors ?? [], part)),
    }
  }
}

function refusalOf(part: Part, [first, ...others]: readonly Fault[]): Refusal {
  if (!first) return invalid(part, 'The request does not have the documented shape')
  return new Refusal('invalid_request', first.message, { field: first.field, others })
}

/** The refusal of a request whose schema was kept to, with all else that is wrong with its body. */
export function withOthers(refusal: Refusal, { body, routeOptions }: FastifyRequest): Refusal {
  const schema = routeOptions?.schema?.body as SchemaNode | undefined
  const { code, message, field, fix, retryAfter } = refusal
  if (code !== 'invalid_request' || field === undefined || !schema || body == null || !isModest(body)) return refusal
  const others = every(schema, body, 'body').filter((one) => one.field !== field)
  return new Refusal(code, message, { field, fix, others, retryAfter, cause: refusal.cause })
}

const compiledThoroughly = new WeakMap<SchemaNode, ValidateFunction>()

/** All that is wrong: by the schema, and by the rules in what the schema finds right. */
function every(schema: SchemaNode, value: unknown, part: Part): Fault[] {
  const validate = compiledThoroughly.get(schema) ?? thorough.compile(schema)
  compiledThoroughly.set(schema, validate)
  const faults = validate(value) ? [] : faultsIn(validate.errors ?? [], part)
  const told = new Set(faults.map(({ field }) => field))
  const rules = part === 'body' ? brokenRules(schema, value).filter(({ field }) => !told.has(field)) : []
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
