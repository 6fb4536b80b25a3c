import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  challenge,
  grace,
  nextCheck,
  type Progress,
  type Seen,
  type Standing,
  standingAfter,
  unproven,
} from './standing.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const start = Date.parse('2026-01-01T00:00:00Z')
const at = (ms: number) => new Date(start + ms)

const enrolled: Standing = { status: 'pending', ownership: unproven, receiving: unproven, challengedAt: at(0) }
const proven = { verifiedAt: at(0), missing: null }
const verified: Standing = { ...enrolled, status: 'verified', ownership: proven, receiving: proven }
const all: Seen = { ownership: true, receiving: true, held: false }
const none: Seen = { ownership: false, receiving: false, held: false }
const silence: Seen = { ownership: null, receiving: null, held: false }

/** The standing after checks at these times, each of which saw this. */
function after(standing: Standing, ...checks: readonly (readonly [ms: number, seen: Partial<Seen>])[]): Standing {
  return checks.reduce((before, [ms, seen]) => standingAfter(before, { ...all, ...seen }, at(ms)), standing)
}

const noMx = { receiving: false }
const withoutMx = after(verified, [0, noMx], [day, noMx], [grace, noMx])
const thrice = [[0, none] as const, [day, none] as const, [grace, none] as const] as const

for (const [what, standing, status] of [
  ['both proofs make verified', after(enrolled, [minute, {}]), 'verified'],
  ['ownership alone is pending', after(enrolled, [minute, { receiving: false }]), 'pending'],
  ['receiving alone is pending', after(enrolled, [minute, { ownership: false }]), 'pending'],
  ['proofs come one after the other', after(enrolled, [1, { ownership: false }], [2, { receiving: null }]), 'verified'],
  ['nothing known is no change', after(enrolled, [minute, silence]), 'pending'],
  ['one second before 14 days', after(enrolled, [challenge - 1_000, none]), 'pending'],
  ['14 days without ownership', after(enrolled, [challenge, none]), 'failed'],
  ['14 days without ownership, though with an MX', after(enrolled, [challenge, { ownership: false }]), 'failed'],
  ['14 days without an answer are no failure', after(enrolled, [challenge, silence]), 'pending'],
  ['ownership proven at the last moment', after(enrolled, [challenge, {}]), 'verified'],
  ['ownership and nothing more in 15 days', after(enrolled, [1, noMx], [15 * day, noMx]), 'pending'],
  ['failed is for good', after({ ...enrolled, status: 'failed' }, [minute, {}]), 'failed'],
  ['a token is no proof while another has the domain', after(enrolled, [minute, { held: true }]), 'pending'],
  ['such a claim fails after 14 days', after(enrolled, [challenge, { held: true }]), 'failed'],
  ['such a claim succeeds once the other proof lapsed', after(enrolled, [1, { held: true }], [2, {}]), 'verified'],
  ['one negative', after(verified, [day, none]), 'verified'],
  ['three negatives within 72 hours', after(verified, [0, none], [1, none], [grace - 1, none]), 'verified'],
  ['two negatives 72 hours apart', after(verified, [0, none], [grace, none]), 'verified'],
  ['three negatives over 72 hours', after(verified, [0, none], [day, none], [grace, none]), 'pending'],
  ['the MX gone for 72 hours', withoutMx, 'pending'],
  ['failures do not count', after(verified, [0, none], [1, silence], [grace, silence], [grace + 1, none]), 'verified'],
  ['nor do they end the negatives', after(verified, [0, none], [1, silence], [2, none], [grace, none]), 'pending'],
  ['one that is back begins anew', after(verified, [0, none], [day, none], [2 * day, {}], [grace, none]), 'verified'],
  ['what lapsed is proven anew', after(verified, ...thrice, [grace + 1, {}]), 'verified'],
  ['and fails 14 days after it', after(verified, ...thrice, [grace + challenge, none]), 'failed'],
] as const)
  test(`standing: ${what}`, () => assert.equal(standing.status, status))

test('the MX that lapsed leaves the ownership proven, so that nobody else gets the domain', () => {
  assert.deepEqual([withoutMx.ownership.verifiedAt, withoutMx.receiving.verifiedAt], [at(0), null])
})

const answer = fc.constantFrom(true, false, null)
const seen: fc.Arbitrary<Seen> = fc.record({ ownership: answer, receiving: answer, held: fc.boolean() })
const story = fc.array(fc.record({ seen, wait: fc.integer({ min: 1, max: 40 * hour }) }), { maxLength: 40 })

test('whatever is seen: verified is both proofs, one change a check has one cause, and no lookup that failed is one', () => {
  fc.assert(
    fc.property(story, (steps) => {
      let standing = enrolled
      let now = start
      let negatives: number[] = []
      for (const { seen, wait } of steps) {
        now += wait
        // Whoever has proven the domain, the others have not.
        const answers = { ...seen, held: seen.held && standing.ownership.verifiedAt === null }
        const next = standingAfter(standing, answers, new Date(now))
        if (answers.ownership === true) negatives = []
        if (answers.ownership === false) negatives.push(now)
        const both = next.ownership.verifiedAt !== null && next.receiving.verifiedAt !== null
        assert.equal(next.status === 'verified', both && standing.status !== 'failed')
        if (next.ownership.verifiedAt && !standing.ownership.verifiedAt) assert.ok(answers.ownership && !answers.held)
        if (!next.ownership.verifiedAt && standing.ownership.verifiedAt) {
          assert.ok(negatives.length >= 3 && now - (negatives[0] ?? 0) >= grace)
          negatives = []
        }
        if (answers.ownership === null && answers.receiving === null) {
          assert.deepEqual(next, answers.held ? { ...standing, ownership: unproven } : standing)
        }
        if (next.status === 'failed' && standing.status !== 'failed') {
          assert.ok(now - standing.challengedAt.getTime() >= challenge && answers.ownership !== null)
        }
        if (standing.status === 'failed') assert.equal(next, standing)
        standing = next
      }
    }),
    { numRuns: 500 },
  )
})

const usual: Progress = { outstanding: 4, keysMadeAt: null, firstCheckAfter: minute }
const later = { ...usual, keysMadeAt: at(-day) }

for (const [what, standing, progress, age, expected] of [
  ['every 5 minutes in the first hour', enrolled, usual, 59 * minute, 5 * minute],
  ['every 30 minutes in the first two days', enrolled, usual, hour, 30 * minute],
  ['every 6 hours after that', enrolled, later, 2 * day, 6 * hour],
  ['daily once verified', verified, { ...usual, outstanding: 0 }, minute, day],
  ['as often as before while records are outstanding', verified, usual, 2 * hour, 30 * minute],
  ['daily when they have been outstanding for two days', verified, usual, 2 * day, day],
  ['soon after keys were made', verified, { ...usual, keysMadeAt: at(day) }, day, minute],
  ['soon again after that', verified, { ...usual, keysMadeAt: at(30 * day) }, 30 * day + minute, 5 * minute],
] as const)
  test(`checked ${what}, by a tenth more or less`, () => {
    const pause = (chance: number) => (nextCheck(standing, progress, at(age), chance)?.getTime() ?? 0) - start - age
    assert.deepEqual([pause(0), pause(0.5), pause(1)], [0.9 * expected, expected, 1.1 * expected].map(Math.round))
  })

test('the moments at which a proof lapses and a challenge ends are not passed over', () => {
  const missing = { ...verified, ownership: { verifiedAt: at(0), missing: { since: at(day), times: 2 } } }
  assert.deepEqual(nextCheck(missing, usual, at(day + grace - hour), 1), at(day + grace))
  assert.deepEqual(nextCheck(enrolled, usual, at(challenge - hour), 1), at(challenge))
})

test('what has failed is not checked any more', () =>
  assert.equal(nextCheck({ ...enrolled, status: 'failed' }, usual, at(day), 0), null))
