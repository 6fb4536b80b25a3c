import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextStep } from './step-size.ts'

for (const [what, size, ms, next] of [
  ['a step that takes as long as it should has as many messages again', 400, 20, 400],
  ['one that took long has fewer', 400, 25, 320],
  ['never less than half as many', 800, 1_000, 400],
  ['never fewer than make up for what a step costs in any case', 250, 1_000, 200],
  ['one that was quick has more', 400, 16, 500],
  ['at most half as many again', 400, 0, 600],
  ['never so many that a slow one would hold others up', 900, 1, 1_000],
] as const)
  test(what, () => assert.equal(nextStep(size, ms, { embedded: true }), next))

test('on a server, which serves others meanwhile, a step may take longer', () => {
  assert.equal(nextStep(400, 100, { embedded: false }), 400)
  assert.equal(nextStep(400, 200, { embedded: false }), 200)
})
