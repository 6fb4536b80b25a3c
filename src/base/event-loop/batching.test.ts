import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { each } from '#test/world/each.ts'
import { batched, Failed, togetherOrEach } from './batching.ts'

/** Longer than a test may take: a batch that waited all of it would fail its test. */
const forever = 10 * 60_000

function recorded(...more: [delay?: () => number | 'this turn', full?: number]) {
  const batches: number[][] = []
  const all = (waiting: readonly number[]) => waiting.length
  const work = async (batch: readonly number[]) => {
    batches.push([...batch])
    await turn()
    return batch.map((one) => one * 2)
  }
  return { batches, call: batched(work, all, ...more) }
}

test('what is called while a batch is under way goes together, and each call has its own answer', async () => {
  const { batches, call } = recorded()
  assert.deepEqual(await Promise.all([1, 2, 3].map(call)), [2, 4, 6])
  assert.deepEqual(batches, [[1], [2, 3]])
})

test('a batch that waits goes once no more calls come', async () => {
  const { batches, call } = recorded(() => forever)
  assert.deepEqual(await Promise.all([1, 2].map(call)), [2, 4])
  assert.deepEqual(batches, [[1, 2]])
})

test('a batch that waits for this turn of the event loop takes what comes in it', async () => {
  const { batches, call } = recorded(() => 'this turn')
  const first = call(1)
  const later = new Promise((resolve) => process.nextTick(() => resolve(call(2))))
  assert.deepEqual(await Promise.all([first, later]), [2, 4])
  assert.deepEqual(batches, [[1, 2]])
  assert.deepEqual(await call(3), 6)
})

test('a batch that can be full waits until it is, however late the calls come', async () => {
  const { batches, call } = recorded(() => forever, 3)
  const answers = [call(1)]
  for (const one of [2, 3]) {
    await turn()
    assert.deepEqual(batches, [])
    answers.push(call(one))
  }
  assert.deepEqual(await Promise.all(answers), [2, 4, 6])
  assert.deepEqual(batches, [[1, 2, 3]])
})

test('a batch that can be full waits no longer than its time', async () => {
  const { batches, call } = recorded(() => 20, 3)
  assert.deepEqual(await Promise.all([call(1), call(2)]), [2, 4])
  assert.deepEqual(batches, [[1, 2]])
})

test('what fails fails all calls of the batch, and none after it', async () => {
  let fails = true
  const call = batched(
    async (batch: readonly number[]) => {
      if (fails) throw new Error('it fails')
      return batch
    },
    (waiting) => waiting.length,
    () => forever,
    2,
  )
  const answers = await Promise.allSettled([call(1), call(2)])
  assert.deepEqual(each(answers, 'status'), ['rejected', 'rejected'])
  fails = false
  assert.deepEqual(await Promise.all([call(3), call(4)]), [3, 4])
})

test('a call that fails alone in its batch fails no other', async () => {
  const work = async (batch: readonly number[]) => batch.map((one) => (one === 2 ? new Failed('odd') : one))
  const call = batched(work, (waiting) => waiting.length)
  const answers = await Promise.allSettled([call(1), call(2), call(3)])
  assert.deepEqual(each(answers, 'status'), ['fulfilled', 'rejected', 'fulfilled'])
})

/** What is done: each call of the work, and the answers, of which `x` is a failure. Work with a word in capitals fails. */
for (const [what, batch, calls, answers] of [
  ['goes together if nothing fails', 'a b c', 'abc', 'a b c'],
  ['goes alone if one fails', 'a B c', 'aBc a B c', 'a x c'],
  ['is tried once if it is alone', 'A', 'A', 'x'],
  ['goes no further after a failure that stands for all', 'a END c', 'aENDc a END', 'a x x'],
  ['is not tried alone if the failure of all stands for all', 'END ALL', 'ENDALL', 'x x'],
  ['needs nothing if there is nothing', '', '', ''],
] as const)
  test(`a batch ${what}`, async () => {
    const called: string[] = []
    const work = async (some: readonly string[]) => {
      called.push(some.join(''))
      if (/[A-Z]/.test(some.join(''))) throw some.join('')
      return some
    }
    const done = await togetherOrEach(
      batch.split(' ').filter(Boolean),
      work,
      (error) => !/^(?:END|ENDALL)$/.test(String(error)),
    )
    assert.equal(called.join(' '), calls)
    assert.equal(done.map((one) => (one instanceof Failed ? 'x' : one)).join(' '), answers)
  })
