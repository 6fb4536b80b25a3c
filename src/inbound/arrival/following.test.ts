import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pieceBytes } from '#/event-loop/pieces.ts'
import { type Message, readMessage } from '#/mime/message.ts'
import type { Destination } from '../recipients/destinations.ts'
import type { Envelope } from '../smtp/envelope.ts'
import { digestOf } from './following.ts'

const [named, nameless] = ['Message-ID: <1@x>\r\n\r\n', 'Subject: x\r\n\r\n'].map((text) => Buffer.from(text))
const digest = (id: string, bytes = named, { runs = 1, mark }: { runs?: number; mark?: Buffer } = {}) =>
  digestOf(
    { id } as Envelope,
    readMessage(bytes as Buffer) as Message,
    bytes as Buffer,
    Array.from({ length: runs }, (): Destination[] => []),
    mark,
  )

test('a message that names itself is known by its octets, however many', async () => {
  assert.deepEqual(await digest('a'), await digest('b'))
  const large = (end: string) => Buffer.concat([named as Buffer, Buffer.alloc(2 * pieceBytes, 'x'), Buffer.from(end)])
  assert.deepEqual(await digest('a', large('1')), await digest('b', large('1')))
  assert.notDeepEqual(await digest('a', large('1')), await digest('a', large('2')))
})

test('one that does not is another each time, unless it is stored in several runs', async () => {
  assert.notDeepEqual(await digest('a', nameless), await digest('b', nameless))
  assert.deepEqual(await digest('a', nameless, { runs: 2 }), await digest('b', nameless, { runs: 2 }))
})

test('a mark makes it another than the message that has the octets of the mark', async () => {
  const mark = named
  assert.ok(mark)
  assert.deepEqual(await digest('a', nameless, { mark }), await digest('b', named, { mark }))
  assert.notDeepEqual(await digest('a', nameless, { mark }), await digest('a', mark))
})
