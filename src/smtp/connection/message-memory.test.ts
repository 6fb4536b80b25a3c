import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FixedShare, MemoryReservation, MessageMemory } from './message-memory.ts'

const MiB = 2 ** 20
const second = 1_000

/** A listener's memory, as it is set, and a clock for it. */
function memory(octets = 128 * MiB) {
  let now = 0
  const gone = new Set<MemoryReservation>()
  const all = new MessageMemory(octets, 15 * second, () => now)
  return {
    all,
    gone,
    pass(milliseconds: number) {
      now += milliseconds
    },
    /** For a session of a client that may have half of it. */
    room(share = new FixedShare(octets / 2)): MemoryReservation {
      const room: MemoryReservation = new MemoryReservation(all, share, () => gone.add(room))
      return room
    },
  }
}

test('three clients with 101 connections hold all of it: an honest sender gets its room all the same', () => {
  const { all, gone, pass, room } = memory()
  const clients = Array.from({ length: 3 }, () => new FixedShare(64 * MiB))
  const attackers = clients.flatMap((share) => Array.from({ length: 34 }, () => room(share)))
  while (attackers.some((one) => one.reserve(64 * 1024)));
  assert.ok(all.free < 64 * 1024)
  const honest = room()
  assert.equal(honest.reserve(64 * 1024), false)
  for (let n = 0; n < 16; n++) {
    pass(second)
    for (const one of attackers) one.reserve(1)
  }
  assert.equal(honest.fits(25 * MiB), true)
  for (let octets = 0; octets < 25 * MiB; octets += 64 * 1024) {
    assert.equal(honest.reserve(64 * 1024), true)
    pass(50)
  }
  assert.ok(gone.size > 0 && gone.size < attackers.length)
  assert.equal(gone.has(honest), false)
})

test('whoever keeps its pace gives way to nobody before its time', () => {
  const { all, gone, pass, room } = memory(10 * MiB)
  const [one, other] = [room(), room()]
  for (let n = 0; n < 10; n++) {
    assert.equal(one.reserve(MiB / 2) && other.reserve(MiB / 2), true)
    pass(second)
  }
  assert.equal(all.free, 0)
  assert.equal(room().reserve(1), false)
  assert.equal(gone.size, 0)
})

test('a complete message is never evicted, however long storing it takes', () => {
  const { gone, pass, room } = memory(2 * MiB)
  const [stored, other] = [room(), room()]
  for (const one of [stored, other]) {
    one.reserve(MiB)
    one.complete()
  }
  pass(3_600 * second)
  assert.equal(room().fits(1), false)
  assert.equal(room().reserve(1), false)
  assert.equal(gone.size, 0)
  stored.release(MiB)
  assert.equal(room().reserve(MiB), true)
})

test('whoever has given way gets nothing any more, even where there is room again', () => {
  const { gone, pass, room } = memory(2 * MiB)
  const [slow, other] = [room(), room()]
  assert.equal(slow.reserve(MiB), true)
  pass(60 * second)
  assert.equal(other.reserve(MiB), true)
  assert.equal(room().reserve(MiB), true)
  assert.deepEqual([gone.has(slow), slow.held], [true, 0])
  other.release(MiB)
  assert.equal(slow.reserve(1), false)
})

test('through any sequence of messages the free memory neither leaks nor exceeds its size', () => {
  const step = fc.record({ session: fc.nat(5), octets: fc.nat(3_000), wait: fc.nat(20_000), end: fc.nat(3) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { all, pass, room } = memory(8_192)
      const shares = [new FixedShare(4_096), new FixedShare(4_096), new FixedShare(4_096)]
      const sessions = Array.from({ length: 6 }, (_, at) => room(shares[at % 3] ?? assert.fail()))
      for (const { session, octets, wait, end } of steps) {
        const one = sessions[session] ?? assert.fail()
        const before = one.held
        if (!one.reserve(octets)) assert.equal(one.held, before)
        if (end === 0) one.complete()
        if (end === 1) one.release(one.held)
        pass(wait)
        const held = sessions.reduce((sum, room) => sum + room.held, 0)
        assert.equal(all.free + held, 8_192)
        assert.ok(all.free >= 0 && shares.every(({ free }) => free >= 0))
      }
      for (const one of sessions) one.release(one.held)
      assert.deepEqual([all.free, all.holders.size], [8_192, 0])
    }),
  )
})
