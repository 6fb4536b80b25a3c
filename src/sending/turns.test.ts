import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inTurn } from './turns.ts'

const large = 11 << 20

test('large messages are stored one after the other, also where one fails, and small ones do not wait', async () => {
  const told: string[] = []
  const ends = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
  const store = (name: string, end: Promise<void>) => async () => {
    told.push(`${name} begins`)
    await end.finally(() => told.push(`${name} ends`))
    return name
  }
  const first = inTurn(large, store('first', ends[0].promise))
  const second = inTurn(large, store('second', ends[1].promise))
  const third = inTurn(large, store('third', Promise.resolve()))
  assert.equal(await inTurn(1_000, store('small', Promise.resolve())), 'small')
  ends[0].reject(new Error('no room'))
  await assert.rejects(first, { message: 'no room' })
  ends[1].resolve()
  assert.deepEqual(await Promise.all([second, third]), ['second', 'third'])
  assert.deepEqual(
    told.filter((what) => !what.startsWith('small')),
    ['first begins', 'first ends', 'second begins', 'second ends', 'third begins', 'third ends'],
  )
})
