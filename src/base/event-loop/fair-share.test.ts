import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FairShare, type Share } from './fair-share.ts'

const never = new AbortController().signal
const roomy = { all: 96, waiting: 10, patience: 1 << 30 }

/** A request for a part, and what became of it so far. */
class Asking {
  state: 'waiting' | 'in' | 'away' = 'waiting'
  share: Share | undefined
  readonly settled: Promise<void>

  constructor(room: FairShare, organization: string, units: number, key = 'key', signal = never) {
    this.settled = room.enter({ organization, key }, units, signal).then((share) => {
      this.state = share ? 'in' : 'away'
      this.share = share
    })
  }

  leave(): void {
    this.share?.[Symbol.dispose]()
  }
}

/** Lets everything happen that has been decided. */
const turn = () => new Promise(setImmediate)
const statesOf = (all: readonly Asking[]) => all.map(({ state }) => state)

test('an organization alone has half with several keys, a key three quarters of that, and the next organization finds room', async () => {
  const room = new FairShare(roomy)
  const one = Array.from({ length: 6 }, () => new Asking(room, 'a', 12, 'one'))
  const two = Array.from({ length: 6 }, () => new Asking(room, 'a', 12, 'two'))
  const other = Array.from({ length: 3 }, (_, at) => new Asking(room, 'b', 12, `${at}`))
  await turn()
  const inside = [one, two, other].map((all) => all.filter(({ state }) => state === 'in').length)
  assert.deepEqual(inside, [3, 1, 2])
})

test('however many organizations hold parts and never give them back, one that holds nothing finds room before they fill it', async () => {
  const room = new FairShare({ ...roomy, all: 500, waiting: 0 })
  const held: number[] = []
  for (const name of ['a', 'b', 'c', 'd']) {
    const streams = Array.from({ length: 500 }, (_, at) => new Asking(room, name, 1, `${at % 9}`))
    await turn()
    held.push(streams.filter(({ state }) => state === 'in').length)
  }
  assert.deepEqual(held, [250, 125, 62, 31])
})

test('an organization has back what one of its requests held', async () => {
  const room = new FairShare(roomy)
  const ask = (key: string) => new Asking(room, 'a', 20, key)
  const [first, second, third] = [ask('a'), ask('b'), ask('c')] as const
  await turn()
  assert.deepEqual(statesOf([first, second, third]), ['in', 'in', 'waiting'])
  first.leave()
  await turn()
  assert.equal(third.state, 'in')
})

test('what a request needs no longer goes to the next', async () => {
  const room = new FairShare(roomy)
  const first = new Asking(room, 'a', 90)
  const second = new Asking(room, 'b', 10)
  await turn()
  assert.equal(second.state, 'waiting')
  first.share?.shrink(60)
  await second.settled
  first.share?.shrink(80)
  first.leave()
  first.leave()
  const all = new Asking(room, 'c', 86)
  await turn()
  assert.equal(all.state, 'in')
})

test('organizations take turns, and the keys in each, whoever asked more', async () => {
  const room = new FairShare({ ...roomy, all: 1, waiting: 100 })
  const served: string[] = []
  const ask = async (organization: string, key: string) => {
    using _share = await room.enter({ organization, key }, 1)
    served.push(`${organization}/${key}`)
    await turn()
  }
  const first = ask('a', 'x')
  const again = Array.from({ length: 4 }, () => ask('a', 'x'))
  await Promise.all([first, ...again, ask('a', 'y'), ask('b', 'x'), ask('b', 'x'), ask('c', 'x')])
  assert.deepEqual(served, ['a/x', 'b/x', 'c/x', 'a/y', 'b/x', 'a/x', 'a/x', 'a/x', 'a/x'])
})

test('those who come again and again are not ahead of one that waits', async () => {
  const room = new FairShare({ ...roomy, all: 1 })
  const first = new Asking(room, 'a', 1)
  await turn()
  const again = new Asking(room, 'a', 1)
  let holding = first
  for (let count = 0; count < 3; count++) {
    const stranger = new Asking(room, `stranger ${count}`, 1)
    holding.leave()
    await turn()
    holding = [again, stranger].find(({ state }) => state === 'in') ?? holding
    if (holding === again) return
  }
  assert.fail('it still waits')
})

test('a large part that waits for room does not starve behind smaller ones', async () => {
  const room = new FairShare(roomy)
  const first = new Asking(room, 'a', 60)
  const large = new Asking(room, 'b', 60)
  const small = new Asking(room, 'c', 30)
  await turn()
  assert.deepEqual(statesOf([large, small]), ['waiting', 'waiting'])
  first.leave()
  await turn()
  assert.deepEqual(statesOf([large, small]), ['in', 'in'])
})

test('more than all is all', async () => {
  const asking = new Asking(new FairShare(roomy), 'a', 1_000)
  await turn()
  assert.equal(asking.state, 'in')
})

test('of an organization so many wait, of a key three quarters of them, and the next one is sent away', async () => {
  const room = new FairShare({ ...roomy, waiting: 4 })
  const first = new Asking(room, 'a', 96)
  const ofKey = Array.from({ length: 4 }, () => new Asking(room, 'a', 60, 'one'))
  const ofOther = Array.from({ length: 2 }, () => new Asking(room, 'a', 60, 'two'))
  const other = new Asking(room, 'b', 40)
  await turn()
  assert.deepEqual(statesOf([first, ...ofKey]), ['in', 'waiting', 'waiting', 'waiting', 'away'])
  assert.deepEqual(statesOf([...ofOther, other]), ['waiting', 'away', 'waiting'])
})

test('who has waited long enough is sent away, and those behind it come in', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const room = new FairShare({ ...roomy, patience: 1 })
  const first = new Asking(room, 'a', 60)
  const late = new Asking(room, 'b', 60)
  t.mock.timers.tick(1)
  await late.settled
  assert.deepEqual(statesOf([first, late]), ['in', 'away'])
  const behind = new Asking(room, 'c', 36)
  await behind.settled
  assert.equal(behind.state, 'in')
})

test('a client that disconnects no longer waits, and occupies no room later', async () => {
  const room = new FairShare(roomy)
  const first = new Asking(room, 'a', 60)
  const client = new AbortController()
  const gone = new Asking(room, 'b', 60, 'key', client.signal)
  const behind = new Asking(room, 'c', 36)
  client.abort()
  await gone.settled
  await turn()
  assert.deepEqual(statesOf([gone, behind]), ['away', 'in'])
  first.leave()
  assert.equal(await room.enter({ organization: 'd', key: 'key' }, 60, client.signal), undefined)
})

test('nobody has more than there is, who holds several parts leaves as much free, and nobody is forgotten', async () => {
  const arrival = fc.record({
    organization: fc.constantFrom('a', 'b', 'c', 'd'),
    key: fc.constantFrom('x', 'y'),
    units: fc.integer({ min: 1, max: 60 }),
  })
  const step = fc.oneof(arrival, fc.nat({ max: 30 }))
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const room = new FairShare({ ...roomy, waiting: 100 })
      const all: { organization: string; units: number; asking: Asking }[] = []
      const sum = (of: typeof all) => of.reduce((units, one) => units + one.units, 0)
      const inside = () => all.filter(({ asking }) => asking.state === 'in')
      for (const one of steps) {
        if (typeof one === 'number') {
          const leaving = inside()[one]
          if (leaving) all.splice(all.indexOf(leaving), 1)
          leaving?.asking.leave()
        } else all.push({ ...one, asking: new Asking(room, one.organization, one.units, one.key) })
        const before = new Set(inside())
        await turn()
        const now = inside()
        assert.ok(sum(now) <= roomy.all)
        for (const name of 'abcd') {
          const own = now.filter(({ organization }) => organization === name)
          const isLarger = own.length > 1 && own.some((one) => !before.has(one)) && own.some((one) => before.has(one))
          if (isLarger && now.every((one) => before.has(one) || one.organization === name))
            assert.ok(sum(own) <= roomy.all - sum(now))
        }
      }
      // Once all leave who came in, all who waited come in.
      while (all.length > 0) {
        const leaving = all.findIndex(({ asking }) => asking.state === 'in')
        assert.ok(leaving >= 0)
        for (const { asking } of all.splice(leaving, 1)) asking.leave()
        await turn()
      }
    }),
    { numRuns: 100 },
  )
})
