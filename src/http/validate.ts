import type { ErrorObject, ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'
import { invalid, type Refusal } from '#/errors.ts'

/** What may stand in a header, a name or an address: no C0 or C1 control, no DEL, no line separator. */
const unfitForLine = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

export const ajv = new Ajv2020({
  allErrors: false,
  // An error has the value that it is about.
  verbose: true,
  coerceTypes: false,
  useDefaults: false,
  removeAdditional: false,
  strict: false,
  // The description of the API is held against OpenAPI's schema in the tests; here it would take 0.2 s of every start.
  validateSchema: false,
  // JSON reads 1e999 as Infinity, which is no number to us.
  strictNumbers: true,
})
addFormats.default(ajv)
ajv.addFormat('text', (text: string) => text.isWellFormed() && !text.includes('\u0000'))
ajv.addFormat('line', (text: string) => text.isWellFormed() && !unfitForLine.test(text))

/** Validates a body, a query or a path for Fastify. Its schema is compiled for the first request that has it, a few
 *  milliseconds, which for all schemas would be 0.5 s of every start. Nothing is coerced, filled in or dropped; only the
 *  plain decimal integers and the `true` and `false` of a query become what they stand for. */
export const validatorCompiler: FastifySchemaCompiler<SchemaObject> = ({ schema, httpPart }) => {
  let compiled: ValidateFunction | undefined
  const isQuery = httpPart === 'querystring'
  return (data: unknown) => {
    const value = isQuery ? readQuery(schema, data as Record<string, unknown>) : data
    compiled ??= ajv.compile(schema)
    return compiled(value) ? { value } : { error: refusalOf(compiled, isQuery ? 'query' : 'body') }
  }
}

interface SchemaObject {
  properties?: Record<string, { type?: string }>
}

function readQuery({ properties = {} }: SchemaObject, query: Record<string, unknown>): Record<string, unknown> {
  const read: Record<string, unknown> = Object.create(null)
  for (const [name, value] of Object.entries(query)) {
    const type = Object.hasOwn(properties, name) ? properties[name]?.type : undefined
    read[name] = typeof value === 'string' && type ? readScalar(type, value) : value
  }
  return read
}

function readScalar(type: string, text: string): unknown {
  if (type === 'integer' && /^(?:0|[1-9][0-9]{0,14})$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

function refusalOf(validate: ValidateFunction, part: 'query' | 'body'): Refusal {
  const errors = validate.errors ?? []
  // The failed branches of an alternative come before the alternative itself, which is what the caller should hear of.
  const error = errors.find((one) => one.keyword === 'anyOf') ?? errors[0]
  if (!error) return invalid(part, 'The request does not have the documented shape')
  const field = fieldOf(error)
  if (field === '' && error.keyword === 'minProperties') return invalid(part, 'Nothing to change')
  if (field === '') return invalid(part, 'The body must be a JSON object')
  return invalid(field, sentence(field, error, part))
}

/** `/attachments/2/content` is `attachments[2].content` in our errors. */
function fieldOf(error: ErrorObject): string {
  const steps = error.instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  const last = error.params.missingProperty ?? error.params.additionalProperty
  if (typeof last === 'string') steps.push(last)
  return steps.reduce((path, step) => (/^\d+$/.test(step) ? `${path}[${step}]` : path ? `${path}.${step}` : step), '')
}

const kinds: Record<string, string> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
}

function sentence(field: string, { keyword, params, message, data }: ErrorObject, part: 'query' | 'body'): string {
  switch (keyword) {
    case 'required':
      return `${field} is required`
    case 'additionalProperties':
      return `Unknown ${part === 'query' ? 'query parameter' : 'field'} ${JSON.stringify(field)}`
    case 'type':
      return `${field} must be ${[params.type]
        .flat()
        .map((type: string) => kinds[type] ?? type)
        .join(' or ')}`
    case 'enum':
      return `${field} must be one of ${params.allowedValues.map((one: unknown) => String(one)).join(', ')}`
    case 'minimum':
    case 'maximum':
      return `${field} must be ${params.comparison === '>=' ? 'at least' : 'at most'} ${params.limit}`
    case 'maxLength':
      return `${field} can be at most ${params.limit} characters long`
    case 'minLength':
      return params.limit === 1
        ? `${field} must not be empty`
        : `${field} must be at least ${params.limit} characters long`
    case 'maxItems':
    case 'minItems':
      return `${field} must hold ${keyword === 'maxItems' ? 'at most' : 'at least'} ${params.limit} items`
    case 'minProperties':
      return `${field} must hold at least ${params.limit} field${params.limit === 1 ? '' : 's'}`
    case 'format':
      return formatSentence(field, params.format, data)
    default:
      return `${field} ${message ?? 'is not valid'}`
  }
}

function formatSentence(field: string, format: string, data: unknown): string {
  if (typeof data === 'string' && !data.isWellFormed())
    return `${field} holds half a surrogate pair, which is no character`
  if (format === 'line') return `${field} must be one line of text without control characters`
  if (format === 'text') return `${field} must be text without U+0000`
  if (format === 'uuid') return `${field} must be a UUID`
  return `${field} must have the form ${format}`
}
