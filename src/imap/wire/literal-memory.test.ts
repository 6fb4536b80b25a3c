import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryReservation } from '#/smtp/connection/message-memory.ts'
import { LiteralMemory } from './literal-memory.ts'

test('each organization may hold as much as it leaves free, over all its connections, and at least a message', () => {
  const memory = new LiteralMemory({ memory: 1024, slow: 15_000, messageSize: 100 })
  const rooms: MemoryReservation[] = []
  const held = ['one', 'two', 'three', 'four'].map((organization) => {
    let all = 0
    for (let connection = 0; connection < 10; connection++) {
      const room = new MemoryReservation(memory.all, memory.shareOf(organization), () => {})
      rooms.push(room)
      while (room.reserve(1));
      all += room.held
    }
    return all
  })
  assert.deepEqual(held, [512, 256, 128, 100])
  for (const room of rooms) room.release(room.held)
  assert.equal(memory.all.free, 1024)
  assert.equal(memory.shareOf('one').free, 512)
})
