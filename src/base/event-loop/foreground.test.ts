import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Foreground } from './foreground.ts'

/** Milliseconds that do not pass in a test. */
const never = 2 ** 30
const { signal } = new AbortController()

/** Of which a request was answered just now. */
function asked(pace: { answers: number; mostMs?: number }): Foreground {
  const foreground = new Foreground({ quietMs: never, mostMs: never, ...pace })
  foreground.answered(0)
  return foreground
}

/** Work that lets requests pass before it goes on. */
function workAfter(foreground: Foreground, stopping = signal) {
  let isGoingOn = false
  const done = foreground.letPass(stopping).then(() => {
    isGoingOn = true
  })
  return { done, mayContinue: () => isGoingOn }
}

test('background work continues at once without requests', () =>
  new Foreground({ mostMs: never, answers: never }).letPass(signal))

test('work waits for so many answers', async () => {
  const foreground = asked({ answers: 3 })
  const work = workAfter(foreground)
  for (const _ of [1, 2]) foreground.answered(0)
  await nextTurn()
  assert.equal(work.mayContinue(), false)
  foreground.answered(0)
  await work.done
})

test('work waits for more answers where more is asked for at a time', async () => {
  const foreground = asked({ answers: 3 })
  const stop = new AbortController()
  const work = workAfter(foreground, stop.signal)
  for (const _ of [1, 2, 3]) foreground.answered(never)
  await nextTurn()
  assert.equal(work.mayContinue(), false)
  stop.abort()
  await work.done
})

test('background work continues under constant load', async () => {
  await workAfter(asked({ answers: never, mostMs: 1 })).done
})

test('background work continues once requests end', async () => {
  const foreground = new Foreground({ quietMs: 1, mostMs: never, answers: never })
  foreground.answered(0)
  await workAfter(foreground).done
})

test('who stops does not wait', async () => {
  const stop = new AbortController()
  const work = workAfter(asked({ answers: never }), stop.signal)
  stop.abort()
  await work.done
})
