import fc from 'fast-check'
import { anyCharacter } from '#test/world/any-character.ts'
import { isStream } from '#test/world/routes/every-route.ts'
import type { Description, Operation, Schema } from '#test/world/sockets/http-client.ts'
import { fittingTexts } from './fitting-texts.ts'
import { credentials, type Headers, mostly } from './http-credentials.ts'

/** A request, good or bad. In target, headers and body `{{label}}` stands for the id of what is there when it is sent. */
export interface FuzzedRequest {
  readonly method: string
  /** Path and query, as they go over the wire. */
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string | NearSample | undefined
}

/** A body that succeeds (test/world/routes/samples.ts) but for a property, which undefined leaves out. */
export interface NearSample {
  readonly operation: string
  readonly change: readonly [property: string, value: unknown] | null
}

/** Requests to every operation of the description: most of them as it says, or nearly so, and some not at all. */
export function fuzzedRequests(description: Description): fc.Arbitrary<FuzzedRequest> {
  const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => !isStream(operation))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  return fc.oneof(
    ...operations.map(({ method, path, operation }) =>
      fc.record({
        method: mostly(fc.constant(method), fc.constantFrom(...methods), 30),
        target: targetOf(path, operation),
        headers,
        body: bodyOf(`${method} ${path}`, operation),
      }),
    ),
  )
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'] as const

const rubbish = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 20 }),
  fc.constantFrom(
    ...['', ' ', '\0', '\u200b', '\u202e', '\ud800', '\r\nX: y', '..', '%', '%00', "' or 1=1 --", '\\', '/'],
    '{{label}}',
    ...['__proto__', 'constructor', 'null', 'NaN', '-1', '1e9', '0x10', '5.0', '99999999999999999999', '1e400'],
    ...['00000000-0000-0000-0000-000000000000', 'x'.repeat(300), 'x'.repeat(1_500), '😀'.repeat(33), 'ﷺ', 'İ', '@'],
    'a@b',
  ),
)

function textFor(name: string): fc.Arbitrary<string> {
  const texts = fittingTexts[name]
  return texts ? mostly(fc.constantFrom(...texts), rubbish, 20) : mostly(fc.string({ maxLength: 40 }), rubbish, 4)
}

const boolean = mostly(fc.constantFrom('true', 'false'), fc.constantFrom('True', '1', ''), 10)

/** What `{id}` names is said by the part of the path before it. */
function targetOf(path: string, operation: Operation): fc.Arbitrary<string> {
  const parts = path.split('/')
  const segments = parts.map((part, place) =>
    part.startsWith('{') ? textFor(parts[place - 1] ?? '').map(encoded) : mostly(fc.constant(part), spelled(part), 100),
  )
  const parameters = (operation.parameters ?? []).filter((one) => one.in === 'query')
  const pairs = parameters.map(({ name, required, schema }) => {
    const value = schema.type === 'boolean' ? boolean : textFor(name)
    return fc
      .option(value, { freq: required ? 30 : 2, nil: undefined })
      .map((text) => text !== undefined && [name, text])
  })
  const more = mostly(fc.constant([]), fc.array(fc.tuple(fc.constantFrom('mailbox', 'limit', 'x', ''), rubbish)), 20)
  const query = fc
    .tuple(fc.tuple(...pairs), more)
    .map(([usual, others]) =>
      [...usual.filter((pair) => pair !== false), ...others]
        .map(([name = '', text = '']) => `${encoded(name)}=${encoded(text)}`)
        .join('&'),
    )
  const broken = fc.constantFrom(
    ...['%zz', '&&=&', 'mailbox', 'mailbox[]=a', '?', '%00=%ff', '__proto__=1'],
    'a'.repeat(9_000),
  )
  return fc
    .tuple(fc.tuple(...segments), mostly(query, broken, 40))
    .map(([steps, asked]) => `${steps.join('/')}${asked === '' ? '' : `?${asked}`}`)
}

/** As in a URL; what no URL can hold, such as half a character, as octets that are no UTF-8. */
function encoded(text: string): string {
  if (/^\{\{[a-z ]+\}\}$/.test(text)) return text
  return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80'
}

/** Other ways to write a part of a path. */
function spelled(part: string): fc.Arbitrary<string> {
  const hex = Buffer.from(part).toString('hex').replaceAll(/../g, '%$&')
  return fc.constantFrom(hex, part.toUpperCase(), `${part}/`, `/${part}`, `./${part}`, `${part};x`, `${part}%00`, '%zz')
}

const headers: fc.Arbitrary<Headers> = fc
  .tuple(
    credentials,
    mostly(
      fc.constant('application/json'),
      fc.constantFrom('', 'text/plain', 'application/json; charset=utf-16', 'multipart/form-data', 'a/b/c', ','),
      50,
    ),
    mostly(fc.constant(undefined), fc.constantFrom('one', 'two', 'three', 'x'.repeat(256), '\xe9'), 5),
    mostly(
      fc.constant([]),
      fc.array(
        fc.tuple(
          fc.constantFrom('Accept', 'Content-Encoding', 'If-None-Match', 'Range', 'X-HTTP-Method-Override', 'Cookie'),
          fc.constantFrom('*/*', 'gzip', 'bytes=0-0', 'DELETE', '\xff\xfe', ' '),
        ),
      ),
      10,
    ),
  )
  .map(([bearer, type, once, others]) => [
    ...[...bearer, ...(type === '' ? [] : [['Content-Type', type] satisfies [string, string]])],
    ...[...(once === undefined ? [] : [['Idempotency-Key', once] satisfies [string, string]]), ...others],
  ])

function bodyOf(name: string, { requestBody }: Operation): fc.Arbitrary<FuzzedRequest['body']> {
  const schema = requestBody?.content['application/json'].schema
  if (!schema) return mostly(fc.constant(undefined), fc.constantFrom('', '{}', 'x'), 20)
  const text = likely(schema, '').map(written)
  const broken = fc.constantFrom('', '[', '[['.repeat(50_000), '\ufeff{}', '"', `"${'x'.repeat(1 << 20)}"`)
  return fc.oneof(
    { weight: 15, arbitrary: fc.record({ operation: fc.constant(name), change: changeOf(schema) }) },
    { weight: 10, arbitrary: text },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.tuple(text, fc.nat(), rubbish).map(([json, at, more]) => spliced(json, at, more)) },
    { weight: 1, arbitrary: fc.tuple(text, member).map(([json, one]) => json.replace('{', `{${one},`)) },
    { weight: 1, arbitrary: mostly(broken, fc.constant(undefined), 6) },
  )
}

/** As JSON; `#{{message}}` is a number. */
export function written(value: unknown): string {
  return JSON.stringify(value).replaceAll(/"#(\{\{\w+\}\})"/g, '$1')
}

function changeOf({ properties = {} }: Schema): fc.Arbitrary<NearSample['change']> {
  const changes = Object.entries(properties).map(([name, schema]) =>
    mostly(likely(schema, name), fc.constant(undefined), 5).map((value) => [name, value] as const),
  )
  return mostly(fc.oneof(...changes), fc.constant(null), 4)
}

const member = fc.constantFrom(
  ...['"__proto__":{"x":1}', '"constructor":{"prototype":{}}'],
  ...['"organization_id":"00000000-0000-0000-0000-000000000000"', '"name":"twice"', '"position":1e999', '"\\ud800":1'],
  '"x":-0',
)

function spliced(text: string, at: number, more: string): string {
  const place = at % (text.length + 1)
  return text.slice(0, place) + more + text.slice(place + more.length)
}

/** A value of the schema, or nearly one. `name` is that of the field it is for. */
function likely(schema: Schema, name: string): fc.Arbitrary<unknown> {
  return mostly(fittingValue(schema, name), fc.oneof(fc.jsonValue({ maxDepth: 1 }), rubbish), 30)
}

function fittingValue(schema: Schema, name: string): fc.Arbitrary<unknown> {
  const { type, enum: words, properties, required, items, anyOf } = schema
  if (anyOf) return fc.oneof(...anyOf.map((one) => fittingValue(one, name)))
  if (words) return fc.constantFrom(...words)
  switch ([type].flat()[0]) {
    case 'object':
      return objectOf(properties ?? {}, new Set(required))
    case 'array':
      return mostly(
        fc.array(items ? likely(items, name) : rubbish, { minLength: 1, maxLength: 4 }),
        fc.constant([]),
        10,
      )
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return mostly(fc.constantFrom('#{{message}}', 1, 2, 999), fc.integer(), 8)
    case 'number':
      return fc.oneof(fc.nat(20), fc.double({ noNaN: true }))
    default:
      return textFor(name)
  }
}

function objectOf(properties: Readonly<Record<string, Schema>>, required: ReadonlySet<string>): fc.Arbitrary<object> {
  const left = fc.constant(undefined)
  const fields = Object.entries(properties).map(([name, schema]) => {
    const value = likely(schema, name)
    // What need not be there is often at odds with something else that is.
    return (required.has(name) ? mostly(value, left, 30) : mostly(left, value, 3)).map((one) => [name, one] as const)
  })
  return fc.tuple(...fields).map((pairs) => Object.fromEntries(pairs.filter(([, value]) => value !== undefined)))
}
