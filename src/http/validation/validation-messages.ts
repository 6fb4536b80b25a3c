import type { ErrorObject } from 'ajv'
import { didYouMean } from './did-you-mean.ts'
import type { SchemaNode } from './schema-node.ts'

/** The message for a validation error. */
export function validationMessage(field: string, error: ErrorObject, part: 'query' | 'body'): string {
  const { keyword, params, message, data, schema } = error
  switch (keyword) {
    case 'required':
      return `${field} is required`
    case 'additionalProperties':
      return unknown(field, error, part)
    case 'type':
      return mustBe(field, [params.type].flat())
    case 'anyOf':
      return mustBe(
        field,
        (schema as SchemaNode[]).flatMap(({ type = [] }) => type),
      )
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
    case 'pattern':
      return `${field} must be ${error.parentSchema?.form ?? `of the form ${params.pattern}`}`
    case 'format':
      return formatSentence(field, params.format, data)
    default:
      return `${field} ${message}`
  }
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

function mustBe(field: string, types: readonly string[]): string {
  return `${field} must be ${types.map((type) => kinds[type] ?? type).join(' or ')}`
}

function unknown(field: string, { params, parentSchema }: ErrorObject, part: 'query' | 'body'): string {
  const name = String(params.additionalProperty)
  const elsewhere: string | undefined = Object.hasOwn(parentSchema?.elsewhere ?? {}, name)
    ? parentSchema?.elsewhere[name]
    : undefined
  const meant = elsewhere === undefined ? didYouMean(name, Object.keys(parentSchema?.properties ?? {})) : undefined
  const hint = elsewhere ?? (meant && `did you mean ${JSON.stringify(meant)}?`)
  return `Unknown ${part === 'query' ? 'query parameter' : 'field'} ${JSON.stringify(field)}${hint ? `: ${hint}` : ''}`
}

function formatSentence(field: string, format: string, data: unknown): string {
  if (typeof data === 'string' && !data.isWellFormed()) return `${field} contains an unpaired surrogate`
  if (format === 'line') return `${field} must be one line of text without control characters`
  if (format === 'text') return `${field} must be text without U+0000`
  if (format === 'uuid') return `${field} must be a UUID`
  return `${field} must have the form ${format}`
}
