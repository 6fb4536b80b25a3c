import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { abortsWithin, answersWithin, lookEvery, mostQuiet, Silence } from './silence.ts'
import { timeLeft, usualLimit } from './time-left.ts'

/** A server that answers or not, and what is done about it. */
function server(t: TestContext, answers: boolean[]) {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] })
  const done: string[] = []
  const silence = new Silence({
    answers: async () => {
      done.push('asked')
      return answers.shift() ?? true
    },
    cut: () => done.push('cut'),
    heal: () => done.push('healed'),
  })
  t.after(() => silence[Symbol.dispose]())
  const looks = async (times: number) => {
    for (let n = 0; n < times; n++) {
      t.mock.timers.tick(lookEvery)
      await new Promise((resolve) => setImmediate(resolve))
    }
    return done.splice(0)
  }
  return { silence, looks }
}

const never = new Promise<never>(() => {})
const limit = 60_000
const client = () => new pg.Client({ stream: () => new Socket() })

test('a server of which nobody hears is asked, and is left until it answers', async (t) => {
  const { silence, looks } = server(t, [false, false, true])
  void silence.answer(client(), never, limit)
  assert.deepEqual(await looks(mostQuiet - 1), [])
  assert.deepEqual(await looks(1), ['asked', 'cut'])
  assert.deepEqual(await looks(1), ['asked'])
  assert.deepEqual(await looks(1), ['asked', 'healed'])
})

test('a server that answers is left alone, however long a statement takes', async (t) => {
  const { silence, looks } = server(t, [])
  void silence.answer(client(), never, limit)
  assert.deepEqual(await looks(2 * mostQuiet), ['asked', 'asked'])
})

for (const [what, meanwhile] of [
  ['somebody hears of it', (silence: Silence) => silence.answer(client(), Promise.resolve(), limit)],
  ['it refuses a statement', (silence: Silence) => silence.answer(client(), Promise.reject(), limit).catch(() => {})],
] as const)
  test(`a server is not asked while ${what}`, async (t) => {
    const { silence, looks } = server(t, [])
    void silence.connecting(never)
    for (let n = 0; n < 4; n++) {
      assert.deepEqual(await looks(mostQuiet - 1), [])
      await meanwhile(silence)
    }
  })

test('a server is not asked while nobody waits for it', async (t) => {
  const { silence, looks } = server(t, [])
  await silence.connecting(Promise.resolve())
  assert.deepEqual(await looks(2 * mostQuiet), [])
})

test('a connection whose statement the server has not aborted at its limit is cut soon after, and no other', async (t) => {
  const { silence } = server(t, [])
  const [one, other] = [client(), client()]
  void silence.answer(one, never, limit)
  void silence.answer(other, never, limit + 1)
  t.mock.timers.tick(limit + abortsWithin - 1)
  assert.equal(one.connection.stream.destroyed, false)
  t.mock.timers.tick(1)
  assert.deepEqual([one.connection.stream.destroyed, other.connection.stream.destroyed], [true, false])
})

test('who waits for a silent server, or for a statement that hangs alone, is told so within the 10 s that are documented', () => {
  assert.ok((mostQuiet + 1) * lookEvery + answersWithin < 10_000)
  for (let waited = 0; waited <= usualLimit; waited += 10)
    assert.ok(waited + timeLeft(usualLimit, waited) + abortsWithin < 10_000, `a wait of ${waited} ms for a connection`)
})

test('a short wait for a connection leaves the whole limit', () => assert.equal(timeLeft(usualLimit, 499), usualLimit))
