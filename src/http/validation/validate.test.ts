import assert from 'node:assert/strict'
import { test } from 'node:test'
import { invalid, Refusal } from '#/base/errors.ts'
import { Line, Nullable, OneOf, OneOrMore, paging, Strict } from '../schemas/shared-schemas.ts'
import { Type } from '../schemas/type.ts'
import type { SchemaNode } from './schema-node.ts'
import { validatorCompiler } from './validate.ts'

/** What a request of that value becomes, or all that is wrong with it. */
function validated(schema: object, value: unknown, httpPart = 'body'): unknown {
  const validate = validatorCompiler({ schema: schema as SchemaNode, method: 'POST', url: '/', httpPart })
  const result = validate(value) as { value?: unknown; error?: Error }
  if (!('error' in result)) return result.value
  const { error } = result
  assert.ok(error instanceof Refusal && error.field !== undefined)
  return [{ field: error.field, message: error.message }, ...error.others].map((one) => `${one.field}: ${one.message}`)
}

const noEmptyWord = (word: string) => {
  if (word.trim() === '') throw invalid('word', 'a word shows nothing')
}
const schema = Strict(
  {
    name: Line({ minLength: 1, maxLength: 3 }),
    code: Type.Optional(Line({ minLength: 2 })),
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: 5 })),
    share: Type.Optional(Type.Number()),
    on: Type.Optional(Type.Boolean()),
    colour: Type.Optional(OneOf(['red', 'blue'])),
    shade: Type.Optional(Nullable(OneOf(['light', 'dark']))),
    id: Type.Optional(Type.String({ format: 'uuid' })),
    when: Type.Optional(Type.String({ format: 'date' })),
    text: Type.Optional(Type.String({ format: 'text' })),
    size: Type.Optional(Type.String({ pattern: '^[SML]$' })),
    to: Type.Optional(OneOrMore(Line({ minLength: 1 }), { maxItems: 2 })),
    list: Type.Optional(Type.Array(Line({ rule: noEmptyWord }), { minItems: 1, maxItems: 2 })),
    parts: Type.Optional(Type.Array(Strict({ at: Type.Integer(), note: Type.Optional(Type.String()) }))),
  },
  { elsewhere: { folder: 'give it in the query' } },
)

for (const [what, change, expected] of [
  ['a field that must be there', { name: undefined }, ['name: name is required']],
  ['a text', { name: 5 }, ['name: name must be a string']],
  ['an empty text', { name: '' }, ['name: name must not be empty']],
  ['a text that is too short', { code: 'x' }, ['code: code must be at least 2 characters long']],
  ['a text that is too long', { name: 'abcd' }, ['name: name can be at most 3 characters long']],
  ['a text by its characters', { name: '😀😀😀' }, { name: '😀😀😀' }],
  ['a whole number', { count: 1.5 }, ['count: count must be a whole number']],
  ['a number in quotes', { count: '1' }, ['count: count must be a whole number']],
  ['a number that is too small', { count: 0 }, ['count: count must be at least 1']],
  ['a number that is too large', { count: 6 }, ['count: count must be at most 5']],
  ['a number that JSON has and we have not', { share: Number.POSITIVE_INFINITY }, ['share: share must be a number']],
  ['what is on or off', { on: 1 }, ['on: on must be true or false']],
  ['a word', { colour: 'green' }, ['colour: colour must be one of red, blue']],
  ['a word that is none', { colour: 5 }, ['colour: colour must be a string']],
  ['a word or nothing', { shade: 'red' }, ['shade: shade must be one of light, dark, null']],
  ['a word or nothing that is neither', { shade: 5 }, ['shade: shade must be a string or null']],
  ['an id', { id: '1' }, ['id: id must be a UUID']],
  ['another form', { when: 'today' }, ['when: when must have the form date']],
  ['a pattern', { size: 'XL' }, ['size: size must be of the form ^[SML]$']],
  ['two lines', { name: 'a\nb' }, ['name: name must be one line of text without control characters']],
  ['a text with U+0000', { text: 'a\0' }, ['text: text must be text without U+0000']],
  ['half a character', { text: '\ud83d' }, ['text: text contains an unpaired surrogate']],
  ['one or more', { to: 5 }, ['to: to must be a string or an array']],
  ['one that is empty', { to: '' }, ['to: to must not be empty']],
  ['one of more that is empty', { to: ['a', ''] }, ['to[1]: to[1] must not be empty']],
  ['more than there may be', { to: ['a', 'b', 'c'] }, ['to: to must hold at most 2 items']],
  ['fewer than there must be', { list: [] }, ['list: list must hold at least 1 items']],
  ['what is no list', { parts: {} }, ['parts: parts must be an array']],
  ['what is no object', { parts: [5] }, ['parts[0]: parts[0] must be an object']],
  ['a field within', { parts: [{ at: 1 }, {}] }, ['parts[1].at: parts[1].at is required']],
  ['an unknown field', { xyz: 1 }, ['xyz: Unknown field "xyz"']],
  ['a field that is nearly one', { colur: 'red' }, ['colur: Unknown field "colur": did you mean "colour"?']],
  ['a field that belongs elsewhere', { folder: 'inbox' }, ['folder: Unknown field "folder": give it in the query']],
  [
    'all at once',
    { name: '', count: 0, list: [' '] },
    ['name: name must not be empty', 'count: count must be at least 1', 'list[0]: a word shows nothing'],
  ],
] as const)
  test(`the error names ${what}`, () => {
    const { name = 'abc', ...rest } = change as { name?: unknown }
    const isNamed = !('name' in change) || change.name !== undefined
    assert.deepEqual(validated(schema, { ...(isNamed && { name }), ...rest }), expected)
  })

test('for an empty change, and for a body that is no object, the error names the body', () => {
  const change = Strict({ name: Type.Optional(Line()) }, { minProperties: 1 })
  assert.deepEqual(validated(change, {}), ['body: Nothing to change'])
  assert.deepEqual(validated(change, []), ['body: The body must be a JSON object'])
})

test('a null that means nothing is left out, at any depth; one that means something stays', () => {
  const body = { name: 'abc', code: null, shade: null, parts: [{ at: 1, note: null }] }
  assert.deepEqual(validated(schema, body), { name: 'abc', shade: null, parts: [{ at: 1 }] })
  assert.deepEqual(validated(schema, { name: null }), ['name: name must be a string'])
})

for (const [given, expected] of [
  [{ count: '5' }, { count: 5 }],
  [{ count: '05' }, ['count: count must be a whole number']],
  [{ count: '5.0' }, ['count: count must be a whole number']],
  [{ on: 'true' }, { on: true }],
  [{ on: 'false' }, { on: false }],
  [{ on: '1' }, ['on: on must be true or false']],
  [{ code: '55' }, { code: '55' }],
  [{ coun: '5' }, ['coun: Unknown query parameter "coun": did you mean "count"?']],
] as const)
  test(`a query of ${JSON.stringify(given)} is ${JSON.stringify(expected)}`, () => {
    const query = Strict({ count: schema.properties.count, on: schema.properties.on, code: schema.properties.code })
    const read = validated(query, given, 'querystring')
    assert.deepEqual(Array.isArray(read) ? read : { ...(read as object) }, expected)
  })

for (const [given, expected] of [
  [{ page: '0' }, { page: 0 }],
  [{ limit: '1' }, { limit: 1 }],
  [{ page: '1000000000' }, { page: 1_000_000_000 }],
  [{ limit: '200' }, { limit: 200 }],
  [{ limit: '0' }, ['limit: limit must be at least 1']],
  [{ limit: '201' }, ['limit: limit must be at most 200']],
  [{ page: '1000000001' }, ['page: page must be at most 1000000000']],
  [{ page: '-1' }, ['page: page must be a whole number']],
] as const)
  test(`a page of ${JSON.stringify(given)} is ${JSON.stringify(expected)}`, () => {
    const read = validated(Strict(paging(200, 50)), given, 'querystring')
    assert.deepEqual(Array.isArray(read) ? read : { ...(read as object) }, expected)
  })
