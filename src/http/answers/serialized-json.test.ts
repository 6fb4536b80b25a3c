import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import { SerializedJson, sendSerialized } from './serialized-json.ts'

const bytes = (value: unknown) => new SerializedJson(Buffer.from(JSON.stringify(value)))

for (const [what, object, expected] of [
  ['none is ready', { name: 'Grüße', list: [1] }, { name: 'Grüße', list: [1] }],
  ['one is ready', { total: 2, data: bytes(['ä', 'b']), page: 0 }, { total: 2, data: ['ä', 'b'], page: 0 }],
  ['all are ready', { a: bytes({ b: 1 }), c: bytes(null) }, { a: { b: 1 }, c: null }],
  ['nothing is there', {}, {}],
] as const)
  test(`an object of which ${what} is sent as the JSON that it is, with its length`, async () => {
    await using app = fastify()
    app.get('/', (_request, reply) => sendSerialized(reply, object))
    const { headers, body, rawPayload } = await app.inject('/')
    assert.deepEqual(JSON.parse(body), expected)
    assert.equal(Number(headers['content-length']), rawPayload.length)
    assert.equal(headers['content-type'], 'application/json; charset=utf-8')
  })
