import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Bad } from '../answers.ts'
import { SequenceMap } from './sequence-map.ts'

const uid = fc.integer({ min: 1, max: 60 })

test('a map of sequence numbers is as a list of uids, whatever comes and goes, and its copies keep what they had', () => {
  const step = fc.oneof(
    fc.record({ add: fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 8 }) }),
    fc.record({ remove: fc.array(fc.integer({ min: 1, max: 120 }), { maxLength: 20 }) }),
    fc.constant({ copy: true } as const),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      let map = new SequenceMap()
      let model: number[] = []
      let highest = 0
      const copies: [SequenceMap, number[]][] = []
      for (const step of steps) {
        if ('add' in step) {
          const added = step.add.map((gap) => (highest += gap))
          map.append(added)
          model.push(...added)
        } else if ('remove' in step) {
          const gone = [...new Set(step.remove)].filter((one) => model.includes(one)).sort((a, b) => b - a)
          assert.deepEqual(
            map.remove(step.remove),
            gone.map((one) => model.indexOf(one) + 1),
          )
          model = model.filter((one) => !gone.includes(one))
        } else {
          copies.push([map, [...model]])
          map = map.copy()
        }
        same(map, model, highest)
      }
      for (const [copy, held] of copies) same(copy, held, highest)
    }),
  )
})

function same(map: SequenceMap, model: readonly number[], highest: number): void {
  assert.equal(map.count, model.length)
  assert.equal(map.lastUid, model.at(-1) ?? 0)
  for (let number = 0; number <= model.length + 1; number++) assert.equal(map.uidAt(number), model[number - 1])
  for (let one = 0; one <= highest + 1; one++) {
    assert.equal(map.sequenceOf(one), model.includes(one) ? model.indexOf(one) + 1 : undefined)
  }
  assert.deepEqual([...map.uidsIn([{ from: 1, to: highest }])], model)
  assert.deepEqual([...SequenceMap.of(map.runs()).uidsIn([{ from: 1, to: highest }])], model)
}

test('a set of uids or sequence numbers names the messages that a list of all would', () => {
  const end = fc.oneof(uid, fc.constant(Number.POSITIVE_INFINITY))
  const range = fc.tuple(end, end).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }))
  fc.assert(
    fc.property(fc.uniqueArray(uid), fc.array(range, { minLength: 1 }), (held, set) => {
      const uids = held.sort((a, b) => a - b)
      const map = new SequenceMap(uids)
      const within = (of: readonly number[], last: number) =>
        of.filter((one) =>
          set.some((range) => {
            const [a, b] = [Math.min(range.from, 1e9), Math.min(range.to, 1e9)].map((n) => (n === 1e9 ? last : n))
            return one >= Math.min(a ?? 0, b ?? 0) && one <= Math.max(a ?? 0, b ?? 0)
          }),
        )
      assert.deepEqual([...map.uidsIn(map.uidRanges(set, 'uid'))], within(uids, uids.at(-1) ?? 0))
      const numbers = uids.map((_, index) => index + 1)
      const isAbove = set.some(({ from, to }) =>
        [from, to].some((n) => n !== Number.POSITIVE_INFINITY && n > uids.length),
      )
      const isAll = set.every(({ from, to }) => from === 1 && to === Number.POSITIVE_INFINITY)
      if (uids.length === 0 && isAll) assert.deepEqual(map.uidRanges(set, 'sequence'), [])
      else if (isAbove || uids.length === 0) assert.throws(() => map.uidRanges(set, 'sequence'), Bad)
      else {
        const named = within(numbers, uids.length).map((number) => uids[number - 1])
        assert.deepEqual([...map.uidsIn(map.uidRanges(set, 'sequence'))], named)
      }
    }),
  )
})

test('all of an empty mailbox is nothing, and any other number is none of it', () => {
  assert.deepEqual(new SequenceMap([]).uidRanges([{ from: 1, to: Number.POSITIVE_INFINITY }], 'sequence'), [])
  for (const to of [1, Number.POSITIVE_INFINITY])
    assert.throws(() => new SequenceMap([]).uidRanges([{ from: to, to }], 'sequence'), Bad)
})

test('$ stands for the saved ranges', () => {
  assert.deepEqual(new SequenceMap([1, 2]).uidRanges('$', 'sequence', [{ from: 2, to: 2 }]), [{ from: 2, to: 2 }])
})
