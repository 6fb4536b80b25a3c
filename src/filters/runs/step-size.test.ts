import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextStep } from './step-size.ts'

for (const [what, size, ms, next] of [
  ['a step that takes as long as it should has as many messages again', 200, 15, 200],
  ['one that took long has fewer', 200, 20, 150],
  ['never less than half as many', 400, 1_000, 200],
  ['never fewer than make up for what a step costs in any case', 120, 1_000, 100],
  ['one that was quick has more', 200, 12, 250],
  ['at most half as many again', 200, 0, 300],
  ['never so many that a slow one would hold others up', 450, 1, 500],
] as const) {
  test(what, () => assert.equal(nextStep(size, ms, { embedded: true }), next))
}

test('on a server, which serves others meanwhile, a step may take longer', () => {
  assert.equal(nextStep(200, 100, { embedded: false }), 200)
  assert.equal(nextStep(200, 200, { embedded: false }), 100)
})
