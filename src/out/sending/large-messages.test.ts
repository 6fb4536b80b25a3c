import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oneLargeAtATime } from './large-messages.ts'

const large = 11 << 20

test('large messages are stored one at a time, also after one fails; small ones do not wait', async () => {
  const events: string[] = []
  const ends = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
  const store = (name: string, end: Promise<void>) => async () => {
    events.push(`${name} begins`)
    await end.finally(() => events.push(`${name} ends`))
    return name
  }
  const first = oneLargeAtATime(large, store('first', ends[0].promise))
  const second = oneLargeAtATime(large, store('second', ends[1].promise))
  const third = oneLargeAtATime(large, store('third', Promise.resolve()))
  assert.equal(await oneLargeAtATime(1_000, store('small', Promise.resolve())), 'small')
  ends[0].reject(new Error('no room'))
  await assert.rejects(first, { message: 'no room' })
  ends[1].resolve()
  assert.deepEqual(await Promise.all([second, third]), ['second', 'third'])
  assert.deepEqual(
    events.filter((what) => !what.startsWith('small')),
    ['first begins', 'first ends', 'second begins', 'second ends', 'third begins', 'third ends'],
  )
})
