import assert from 'node:assert/strict'
import { test } from 'node:test'
import { retried } from './retried.ts'

const patient = { forMs: 10 * 60_000, mostBetweenMs: 1 }

for (const [what, more, expected] of [
  ['is repeated until it succeeds, and each failure is told', {}, ['done', 3, 2]],
  ['is given up after its time', { forMs: -1 }, ['failure 1', 1, 0]],
] as const)
  test(`work that fails ${what}`, async () => {
    let [tries, told] = [0, 0]
    const work = async () => {
      if (++tries < 3) throw new Error(`failure ${tries}`)
      return 'done'
    }
    const failed = () => void told++
    const stopping = new AbortController().signal
    const end = await retried(work, { ...patient, ...more, stopping, failed }).catch(({ message }) => message)
    assert.deepEqual([end, tries, told], expected)
  })

test('a stop ends the wait for the next repetition, which is the last', async () => {
  const stop = new AbortController()
  let tries = 0
  const work = async () => {
    throw new Error(`failure ${++tries}`)
  }
  const failed = () => stop.abort()
  await assert.rejects(
    retried(work, { ...patient, mostBetweenMs: 2 ** 30, stopping: stop.signal, failed }),
    /failure 2/,
  )
})
