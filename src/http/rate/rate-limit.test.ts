import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { each } from '#test/world/each.ts'
import { SlidingWindow } from './rate-limit.ts'

const window = () => new SlidingWindow({ quota: 5, windowMs: 1_000, maxCallers: 10 })

test('the request after the last of the quota is refused, and says when to come back', () => {
  const limit = window()
  const answers = [0, 100, 200, 300, 400, 500].map((at) => limit.consume('key', at))
  assert.deepEqual(each(answers, 'allowed'), [true, true, true, true, true, false])
  assert.deepEqual(each(answers, 'remaining'), [4, 3, 2, 1, 0, 0])
  assert.equal(answers.at(-1)?.resetSeconds, 1)
  assert.equal(limit.consume('key', 999).allowed, false)
  assert.equal(limit.consume('key', 1_000).allowed, true, 'the first has left the window')
  assert.equal(limit.consume('key', 1_001).allowed, false, 'and only the first')
})

test('one caller’s requests are not another’s', () => {
  const limit = window()
  for (let count = 0; count < 6; count++) limit.consume('busy', 0)
  assert.equal(limit.consume('other', 0).allowed, true)
})

test('no window of any position holds more than the quota, and none is refused without need', () =>
  fc.assert(
    fc.property(fc.array(fc.nat(400), { maxLength: 60 }), (gaps) => {
      const limit = window()
      const allowed: number[] = []
      let now = 0
      for (const gap of gaps) {
        now += gap
        const live = allowed.filter((time) => time > now - 1_000).length
        const answer = limit.consume('key', now)
        assert.equal(answer.allowed, live < 5)
        if (answer.allowed) allowed.push(now)
        assert.equal(answer.remaining, answer.allowed ? 5 - live - 1 : 0)
      }
    }),
  ))

test('the callers that are remembered are bounded', () => {
  const limit = new SlidingWindow({ quota: 1, windowMs: 1_000, maxCallers: 10 })
  limit.consume('first', 0)
  for (let count = 0; count < 100; count++) limit.consume(`caller ${count}`, 0)
  assert.equal(limit.consume('first', 0).allowed, true, 'the first was forgotten')
})

test('whether a caller is over its quota can be asked without a request', () => {
  const limit = window()
  for (const at of [0, 1, 2, 3]) limit.consume('key', at)
  assert.equal(limit.isOver('key', 4), false)
  limit.consume('key', 4)
  const over = [limit.isOver('key', 999), limit.isOver('key', 1_000), limit.isOver('other', 5)]
  assert.deepEqual(over, [true, false, false])
})

test('a request that is given back leaves room for another', () => {
  const limit = window()
  for (const at of [0, 1, 2, 3, 4]) limit.consume('key', at)
  limit.refund('key')
  assert.deepEqual(limit.consume('key', 5), { allowed: true, remaining: 0, resetSeconds: 1 })
  assert.equal(limit.consume('key', 6).allowed, false)
})
