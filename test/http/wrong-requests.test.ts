import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertUnchanged } from '#test/world/organization/every-row.ts'
import { furnish } from '#test/world/organization/furnished.ts'
import { everyCall } from '#test/world/routes/every-call.ts'
import { pathOf } from '#test/world/routes/every-route.ts'
import { type Wrong, wrongTexts, wrongValues } from '#test/world/routes/wrong-values.ts'
import type { Answer, Schema } from '#test/world/sockets/http-client.ts'
import { World } from '#test/world/world.ts'

// What the schemas of all routes refuse. What a route refuses beyond its schema is tried beside the route.

const world = await World.ofFile()
const one = await furnish(world)
const calls = await everyCall(world, one)
const components = (await world.client.description()).components.schemas

function resolve(schema: Schema): Schema {
  const { $ref } = schema as { readonly $ref?: string }
  return $ref === undefined ? schema : resolve(components[$ref.replace(/^.*\//, '')] ?? {})
}

/** The answer refuses the request and names the field. A message of several is refused for itself. */
function assertNames({ status, body, bytes }: Answer, { what, field }: Wrong, name: string): void {
  const said = `${name}, ${field || 'body'} ${what}: ${bytes.subarray(0, 400)}`
  const [message, within] = /^messages\[0\]\.?(.*)/.exec(field) ?? []
  const error = message === undefined ? body.error : body.data[0].error
  assert.deepEqual([status, error?.code], [message === undefined ? 400 : 200, 'invalid_request'], said)
  const fields = error.details.map((detail: { field: string }) => detail.field)
  assert.ok(fields.includes((within ?? field) || 'body'), said)
  assert.ok(!fields.includes(''), said)
}

test('every route × every way to break the schema of its body: the answer names the field, and nothing changes', () =>
  assertUnchanged(one.organization, async () => {
    for (const { name, path, operation, sample, ask, about } of calls) {
      const schema = operation.requestBody?.content['application/json'].schema
      if (!schema) continue
      const target = pathOf(path, sample, about)
      for (const wrong of wrongValues(schema, resolve, '', sample.body?.(about)))
        assertNames(await ask(target, wrong.value), wrong, name)
    }
  }))

/** What no mailbox has, by the parameter that names it. */
const notThere: Readonly<Record<string, readonly string[]>> = {
  folder: ['Nowhere', 'INBOX"\r\nA1 DELETE x', 'a\0'],
  label: ['nowhere', 'mine'],
}

test('every route × every way to break the schema of its query, and a parameter that it has not: the answer names it, and nothing changes', () =>
  assertUnchanged(one.organization, async () => {
    for (const { name, path, operation, sample, ask, about } of calls) {
      const [target = '', asked] = pathOf(path, sample, about).split('?')
      const body = sample.body?.(about)
      const refused = async (wrong: Wrong, ...values: readonly string[]) => {
        const query = new URLSearchParams(asked)
        query.delete(wrong.field)
        for (const value of values) query.append(wrong.field, value)
        assertNames(await ask(`${target}?${query}`, body), wrong, name)
      }
      await refused({ what: 'unknown', field: 'nobody_knows', value: 'x' }, 'x')
      for (const { name: field, in: place, required, schema } of operation.parameters ?? []) {
        if (place !== 'query') continue
        for (const wrong of wrongTexts(field, resolve(schema))) await refused(wrong, String(wrong.value))
        // A list may come as several parameters of one name.
        if (schema.type) await refused({ what: 'twice', field, value: 'x' }, '1', '1')
        for (const text of notThere[field] ?? []) await refused({ what: `"${text}"`, field, value: text }, text)
        if (required) await refused({ what: 'missing', field, value: undefined })
      }
    }
  }))
