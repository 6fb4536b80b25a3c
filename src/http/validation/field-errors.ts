import type { ErrorObject } from 'ajv'
import { type FieldError, Refusal } from '#/base/errors.ts'
import { forValue, type SchemaNode, typeOf } from './schema-node.ts'
import { validationMessage } from './validation-messages.ts'

/** The field errors of a schema validation, in order. */
export function fieldErrors(errors: readonly ErrorObject[], part: 'query' | 'body'): FieldError[] {
  const mistyped = new Set(errors.filter(({ keyword }) => keyword === 'type').map(({ instancePath }) => instancePath))
  const relevant = withoutOtherBranches(errors).filter(
    ({ keyword, instancePath }) => keyword !== 'enum' || !mistyped.has(instancePath),
  )
  return relevant.map((error) => {
    const field = fieldOf(error)
    if (field !== '') return { field, message: validationMessage(field, error, part) }
    const empty = error.keyword === 'minProperties'
    return { field: part, message: empty ? 'Nothing to change' : 'The body must be a JSON object' }
  })
}

/** For a value that matches no alternative of `anyOf`: the errors of the alternative for its type, or else one error. */
function withoutOtherBranches(errors: readonly ErrorObject[]): ErrorObject[] {
  return errors
    .filter(({ keyword }) => keyword === 'anyOf')
    .reduce<readonly ErrorObject[]>((left, choice) => {
      const within = (one: ErrorObject) =>
        one.schemaPath.startsWith(`${choice.schemaPath}/`) && one.instancePath.startsWith(choice.instancePath)
      const branch = (one: ErrorObject) => one.schemaPath.slice(choice.schemaPath.length + 1).split('/')[0]
      const ofOtherType = left
        .filter((one) => within(one) && one.keyword === 'type' && one.instancePath === choice.instancePath)
        .map(branch)
      const meant = left.filter((one) => within(one) && !ofOtherType.includes(branch(one)))
      return left.filter((one) => (meant.length > 0 ? one !== choice : true) && (!within(one) || meant.includes(one)))
    }, errors)
    .slice()
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

/** The violations of a schema's `rule`s. */
export function brokenRules(schema: SchemaNode, value: unknown, field = ''): FieldError[] {
  const meant = forValue(schema, value)
  // What is said of an object's fields is nothing to say of another value.
  if (!meant || (meant.properties && typeOf(value) !== 'object')) return []
  const { properties = {}, items } = meant
  const within = Array.isArray(value)
    ? value.flatMap((one, at) => (items ? brokenRules(items, one, `${field}[${at}]`) : []))
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, one]) => {
          const property = Object.hasOwn(properties, name) ? properties[name] : undefined
          return property ? brokenRules(property, one, field ? `${field}.${name}` : name) : []
        })
      : []
  return [...within, ...brokenIn(schema, value, field), ...(meant === schema ? [] : brokenIn(meant, value, field))]
}

function brokenIn({ rule = [] }: SchemaNode, value: unknown, field: string): FieldError[] {
  return [rule].flat().flatMap((one) => {
    try {
      one(value as never, field)
      return []
    } catch (error) {
      // Rules expect values that match the schema; other errors come from values that do not.
      return error instanceof Refusal && error.field !== undefined
        ? [{ field: named(error.field, value, field), message: error.message }]
        : []
    }
  })
}

/** An object's rule names one of its fields. */
function named(text: string, value: unknown, field: string): string {
  if (typeOf(value) !== 'object') return field
  return field === '' ? text : `${field}.${text}`
}

/** Whether a value is small enough to report all of its errors. */
export function isModest(value: unknown): boolean {
  let left = 2_000
  const count = (one: unknown): boolean =>
    --left > 0 && (typeof one !== 'object' || one === null || fits(one as object, count))
  return count(value)
}

function fits(value: object, count: (one: unknown) => boolean): boolean {
  for (const name in value) if (Object.hasOwn(value, name) && !count(value[name as keyof typeof value])) return false
  return true
}
