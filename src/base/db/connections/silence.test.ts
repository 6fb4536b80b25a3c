import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { answersWithin, lookEvery, mostQuiet, Silence } from './silence.ts'

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
    longest: 60_000,
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
const client = () => new pg.Client({ stream: () => new Socket() })

test('a server of which nobody hears is asked, and is left until it answers', async (t) => {
  const { silence, looks } = server(t, [false, false, true])
  void silence.answer(client(), never)
  assert.deepEqual(await looks(mostQuiet - 1), [])
  assert.deepEqual(await looks(1), ['asked', 'cut'])
  assert.deepEqual(await looks(1), ['asked'])
  assert.deepEqual(await looks(1), ['asked', 'healed'])
})

test('a server that answers is left alone, however long a statement takes', async (t) => {
  const { silence, looks } = server(t, [])
  void silence.answer(client(), never)
  assert.deepEqual(await looks(2 * mostQuiet), ['asked', 'asked'])
})

for (const [what, meanwhile] of [
  ['somebody hears of it', (silence: Silence) => silence.answer(client(), Promise.resolve())],
  ['it refuses a statement', (silence: Silence) => silence.answer(client(), Promise.reject()).catch(() => {})],
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

test('a connection without a reply to a statement is cut in the end', async (t) => {
  const { silence } = server(t, [])
  const one = client()
  void silence.answer(one, never)
  const closed = once(one.connection.stream, 'close')
  t.mock.timers.tick(60_000)
  await closed
})

test('who waits for a silent server is told so within the 10 s that are documented', () => {
  assert.ok((mostQuiet + 1) * lookEvery + answersWithin < 10_000)
})
