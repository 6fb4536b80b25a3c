// On both databases: each has connections of its own.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import pg from 'pg'
import type { Db } from '#/base/db/schema.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { OctetsReply } from './octets.ts'

const { db } = await databaseOfFile()
const random = randomBytes(3 << 20)

async function octets(on: Db, bytes: Buffer | null, condition = sql`true`): Promise<Buffer[]> {
  const { rows } = await sql<{ octets: Buffer[] }>`
    /* octets */ select substring(${bytes}::bytea from 1) as octets where ${condition}`.execute(on)
  return rows.map((row) => Buffer.concat(row.octets))
}

for (const [what, bytes] of [
  ['no octets', Buffer.alloc(0)],
  ['every octet', Buffer.from(Array.from({ length: 256 }, (_, octet) => octet))],
  ['more than arrives together', random],
] as const)
  test(`${what} come as they are, as the first statement of a transaction too, and once they are prepared`, async () => {
    for (let n = 0; n < 8; n++) {
      assert.deepEqual(await octets(db, bytes), [bytes])
      await db.transaction().execute(async (tx) => {
        assert.deepEqual(await octets(tx, bytes), [bytes])
        assert.deepEqual((await sql<{ n: number }>`select ${n}::integer as n`.execute(tx)).rows, [{ n }])
        assert.deepEqual(await octets(tx, bytes), [bytes])
      })
    }
  })

test('without a row, for null and after a failure there are none, and the connection goes on', async () => {
  await db.connection().execute(async (one) => {
    assert.deepEqual(await octets(one, random, sql`false`), [])
    assert.deepEqual(await octets(one, null), [])
    await assert.rejects(octets(one, random, sql`1 / ${0}::integer = 1`), /division by zero/)
    assert.deepEqual(await octets(one, random), [random])
  })
})

test('octets are found however messages are split on their way, and all others are passed on as they came', () => {
  const message = (type: string, body: Buffer) => {
    const head = Buffer.alloc(5)
    head.write(type)
    head.writeUInt32BE(4 + body.length, 1)
    return Buffer.concat([head, body])
  }
  const row = (bytes: Uint8Array) => {
    const head = Buffer.alloc(6)
    head.writeUInt16BE(1)
    head.writeUInt32BE(bytes.length, 2)
    return message('D', Buffer.concat([head, bytes]))
  }
  const bodies = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 4 })
  const cuts = fc.array(fc.nat(300), { maxLength: 30 })
  fc.assert(
    fc.property(bodies, fc.option(fc.uint8Array({ maxLength: 200 })), bodies, cuts, (before, bytes, after, cuts) => {
      const others = (some: readonly Uint8Array[], type: string) => some.map((one) => message(type, Buffer.from(one)))
      // What comes behind the end is of the next statement, a row too.
      const end = [message('Z', Buffer.from('I')), row(Buffer.from('of the next'))]
      const all = Buffer.concat([...others(before, '2'), ...(bytes ? [row(bytes)] : []), ...others(after, 'C'), ...end])
      const stream = new EventEmitter()
      const passed: Buffer[] = []
      stream.on('data', (chunk: Buffer) => passed.push(chunk))
      const statement = new pg.Query('select')
      statement.submit = () => {}
      const reply = new OctetsReply(statement)
      statement.submit({ stream } as unknown as pg.Connection)
      const places = [0, ...cuts.filter((cut) => cut < all.length).sort((a, b) => a - b), all.length]
      for (const [index, place] of places.slice(1).entries()) stream.emit('data', all.subarray(places[index], place))
      assert.deepEqual(reply.parts && Buffer.concat(reply.parts), bytes ? Buffer.from(bytes) : undefined)
      assert.deepEqual(Buffer.concat(passed), Buffer.concat([...others(before, '2'), ...others(after, 'C'), ...end]))
    }),
  )
})
