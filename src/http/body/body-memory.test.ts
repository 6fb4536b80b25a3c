import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { BodyMemory } from './body-memory.ts'

const never = new AbortController().signal
const roomy = { all: 100, perKey: 60, waiting: 10, patience: 1 << 30 }

/** A body, and what became of it so far. */
class Body {
  state: 'waiting' | 'in' | 'away' = 'waiting'
  readonly settled: Promise<void>

  constructor(room: BodyMemory, key: string, octets: number, signal: AbortSignal = never) {
    this.settled = room.enter(this, key, octets, signal).then((entered) => {
      this.state = entered ? 'in' : 'away'
    })
  }
}

/** Lets everything happen that has been decided. */
const turn = () => new Promise(setImmediate)

test('a key has its part and no more, and others have theirs meanwhile', async () => {
  const room = new BodyMemory(roomy)
  const [first, second, other] = [new Body(room, 'a', 40), new Body(room, 'a', 40), new Body(room, 'b', 40)]
  await turn()
  assert.deepEqual([first.state, second.state, other.state], ['in', 'waiting', 'in'])
  room.leave(first)
  await turn()
  assert.equal(second.state, 'in')
})

test('a key has back what one of its bodies held, while it holds others', async () => {
  const room = new BodyMemory(roomy)
  const [first, second, third] = [new Body(room, 'a', 40), new Body(room, 'a', 20), new Body(room, 'a', 40)]
  await turn()
  assert.deepEqual([first.state, second.state, third.state], ['in', 'in', 'waiting'])
  room.leave(first)
  await turn()
  assert.equal(third.state, 'in')
})

test('a large body that waits for room does not starve behind smaller ones', async () => {
  const room = new BodyMemory(roomy)
  const first = new Body(room, 'a', 60)
  const large = new Body(room, 'b', 60)
  const small = new Body(room, 'c', 30)
  await turn()
  assert.deepEqual([large.state, small.state], ['waiting', 'waiting'])
  room.leave(first)
  await turn()
  assert.deepEqual([large.state, small.state], ['in', 'in'])
})

test('of one key so many wait, and the next one is sent away', async () => {
  const room = new BodyMemory({ ...roomy, waiting: 2 })
  const bodies = Array.from({ length: 4 }, () => new Body(room, 'a', 60))
  const other = new Body(room, 'b', 40)
  await turn()
  assert.deepEqual(
    bodies.map(({ state }) => state),
    ['in', 'waiting', 'waiting', 'away'],
  )
  assert.equal(other.state, 'in')
})

test('who has waited long enough is sent away, and those behind it come in', async () => {
  const room = new BodyMemory({ ...roomy, patience: 1 })
  const first = new Body(room, 'a', 60)
  const late = new Body(room, 'b', 60)
  while (late.state === 'waiting') await turn()
  assert.deepEqual([first.state, late.state], ['in', 'away'])
  const behind = new Body(room, 'c', 40)
  await behind.settled
  assert.equal(behind.state, 'in')
})

test('a client that disconnects no longer waits, and occupies no room later', async () => {
  const room = new BodyMemory(roomy)
  const first = new Body(room, 'a', 60)
  const client = new AbortController()
  const gone = new Body(room, 'b', 60, client.signal)
  const behind = new Body(room, 'c', 40)
  client.abort()
  await gone.settled
  await turn()
  assert.deepEqual([gone.state, behind.state], ['away', 'in'])
  room.leave(first)
  assert.equal(await room.enter({}, 'd', 60, client.signal), false)
})

test('neither all requests nor those of a key ever exceed their share of memory', async () => {
  const arrival = fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd'), octets: fc.integer({ min: 1, max: 60 }) })
  const step = fc.oneof(arrival, fc.nat({ max: 30 }))
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const room = new BodyMemory({ ...roomy, waiting: 100 })
      const bodies: { key: string; octets: number; body: Body }[] = []
      for (const one of steps) {
        if (typeof one !== 'number') bodies.push({ ...one, body: new Body(room, one.key, one.octets) })
        else {
          const [leaving] = bodies.filter(({ body }) => body.state === 'in').slice(one)
          if (leaving) bodies.splice(bodies.indexOf(leaving), 1)
          if (leaving) room.leave(leaving.body)
        }
        await turn()
        const inside = bodies.filter(({ body }) => body.state === 'in')
        const sum = (of: typeof inside) => of.reduce((octets, next) => octets + next.octets, 0)
        assert.ok(sum(inside) <= roomy.all)
        for (const key of 'abcd') assert.ok(sum(inside.filter((other) => other.key === key)) <= roomy.perKey)
      }
      // Nobody is forgotten: once all leave who came in, all who waited come in.
      while (bodies.length > 0) {
        const leaving = bodies.findIndex(({ body }) => body.state === 'in')
        assert.ok(leaving >= 0)
        for (const { body } of bodies.splice(leaving, 1)) room.leave(body)
        await turn()
      }
    }),
    { numRuns: 50 },
  )
})
