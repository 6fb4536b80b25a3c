import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Change } from '#/mail/store/change.ts'
import type { Heading } from '#/mail/store/headings.ts'
import { type CompiledFilter, compileFilter, FilterRun, matches } from '../matching.ts'
import { noCounts } from './counts.ts'
import { headingInput } from './heading-input.ts'
import { evaluate, plusMatches, samplesOf } from './plan.ts'

const address = 'ada@here.example'
const inbox = { folder: 'inbox', address, most: 20 }

interface GivenHeading extends Partial<Omit<Heading, 'header'>> {
  readonly header?: string
}

function heading({ header = '', ...rest }: GivenHeading = {}): Heading {
  const bare = { uid: 1, seen: false, flagged: false, keywords: [], subject: 'Invoice', senders: undefined }
  return { ...bare, ...rest, header: Buffer.from(`${header}\r\n`) }
}

const fields = { name: 'One', field: 'subject', op: 'contains', value: 'invoice', enabled: true, broken: null } as const

function filter(change: Partial<Parameters<typeof compileFilter>[0]>): CompiledFilter {
  return compileFilter({ ...fields, action: 'star', argument: null, ...change }, 'f')
}

const star = filter({})
const read = filter({ action: 'read' })
const work = filter({ action: 'label', argument: 'work' })
const home = filter({ action: 'label', argument: 'home' })
const archive = filter({ action: 'move', argument: 'archive' })
const later = filter({ action: 'move', argument: 'later' })

/** The counts of filters: of each, where it matches, and where it acts. */
const counted = (...all: readonly (readonly [number, number])[]) =>
  all.map(([matched, applied]) => ({ matched, applied }))

for (const [what, filters, message, change] of [
  ['a star where there is none', [star], {}, { flagged: true }],
  ['a star where there is one', [star], { flagged: true }, undefined],
  ['reading what is unread', [read], {}, { seen: true }],
  ['reading what is read', [read], { seen: true }, undefined],
  ['labels, those that lack', [work, home], { keywords: ['work'] }, { addKeywords: ['home'] }],
  ['labels, in an order that is always the same', [work, home], {}, { addKeywords: ['home', 'work'] }],
  ['a label that is there', [work], { keywords: ['work'] }, undefined],
  ['the first of two moves', [archive, later], {}, { folder: 'archive' }],
  ['a move to where it is', [filter({ action: 'move', argument: 'inbox' })], {}, undefined],
  ['all', [star, read, work, archive], {}, { seen: true, flagged: true, addKeywords: ['work'], folder: 'archive' }],
  ['a filter that does not match', [star], { subject: 'Hello' }, undefined],
  ['one whose label is gone', [filter({ action: 'label', argument: 'work', broken: 'label_deleted' })], {}, undefined],
] as const satisfies readonly (readonly [string, readonly CompiledFilter[], GivenHeading, Change | undefined])[])
  test(`${what}: ${change ? 'a change' : 'no change'}`, async () => {
    const { groups } = await evaluate(filters, [heading(message)], inbox)
    assert.deepEqual(groups, change ? [{ uids: [1], change }] : [])
  })

test('messages that change alike are one group, in the order in which the first of each comes', async () => {
  const read5 = heading({ uid: 5, seen: true })
  const messages = [heading({ uid: 3 }), read5, heading({ uid: 6, subject: 'Hello' }), heading({ uid: 8 })]
  const { groups, matched } = await evaluate([star, read], messages, inbox)
  assert.deepEqual(groups, [
    { uids: [3, 8], change: { seen: true, flagged: true } },
    { uids: [5], change: { flagged: true } },
  ])
  assert.equal(matched, 3)
})

test('each filter is counted where it matches, and as applied where it acts', async () => {
  const deleted = filter({ action: 'label', argument: 'work', broken: 'label_deleted' })
  const other = filter({ value: 'hello' })
  const messages = [heading(), heading({ uid: 2 }), heading({ uid: 3, subject: 'Hello' })]
  const { filters, matched } = await evaluate([archive, later, deleted, other], messages, inbox)
  assert.deepEqual(filters, counted([2, 2], [2, 0], [2, 0], [1, 1]))
  assert.equal(matched, 3)
})

test('so many of those that match are shown, with what each would end as', async () => {
  const messages = [1, 2, 3].map((uid) => heading({ uid, subject: `Invoice ${uid}` }))
  const place = { mailboxId: 'm', ...inbox, folder: 'bills', uidValidity: 1, lastUid: 3, uid: 0, plan: null }
  const shown = async (most: number) =>
    samplesOf([star], await evaluate([star], messages, { ...inbox, folder: 'bills', most }), place, new Set()).map(
      ({ mailbox, folder, uid, subject, result }) => ({ mailbox, folder, uid, subject, result }),
    )
  const result = { folder: 'bills', labels: [], starred: true, unread: true }
  const sample = (uid: number) => ({ mailbox: address, folder: 'bills', uid, subject: `Invoice ${uid}`, result })
  assert.deepEqual(await shown(2), [sample(1), sample(2)])
  assert.deepEqual(await shown(0), [])
})

for (const [what, filters, message, result] of [
  ['that is read stays read', [star], { seen: true }, { starred: true, unread: false }],
  ['that is starred stays starred', [read], { flagged: true }, { starred: true, unread: false }],
  ['keeps labels', [work, home], { keywords: ['work', 'own'] }, { labels: ['work', 'own', 'home'], starred: false }],
  ['whose label may not be seen is shown without it', [star], { keywords: ['secret'] }, { labels: [], starred: true }],
] as const satisfies readonly (readonly [string, readonly CompiledFilter[], GivenHeading, object])[])
  test(`a preview shows what a stored message ends as: one ${what}`, async () => {
    const place = { mailboxId: 'm', ...inbox, uidValidity: 1, lastUid: 1, uid: 0, plan: null }
    const found = await evaluate(filters, [heading(message)], inbox)
    const [sample] = samplesOf(filters, found, place, new Set(['work', 'home', 'own']))
    assert.partialDeepStrictEqual(sample?.result, { folder: 'inbox', ...result })
  })

test('while many messages are evaluated the event loop turns', async (t) => {
  let now = 0
  t.mock.method(performance, 'now', () => now)
  let turned = false
  setImmediate(() => {
    turned = true
  })
  const slow = {
    ...heading(),
    get subject() {
      now += 4
      return 'Invoice'
    },
  }
  const { matched } = await evaluate([star], [slow, slow, slow], inbox)
  assert.deepEqual([turned, matched], [true, 3])
})

test('a filter on recipients sees the address that Received names, or else the mailbox', async () => {
  const to = (value: string) => filter({ field: 'to', op: 'is', value })
  const received = 'Received: from x by mx.here.example; for <alias@here.example>; Wed, 25 Nov 2026 09:00:00 +0000\r\n'
  const matched = async (one: CompiledFilter, header: string) =>
    (await evaluate([one], [heading({ header })], inbox)).matched
  assert.equal(await matched(to('alias@here.example'), received), 1)
  assert.equal(await matched(to(address), received), 0)
  assert.equal(await matched(to(address), received.replace('; for <alias@here.example>', '')), 1)
  assert.equal(await matched(to(address), ''), 1)
  assert.equal(await matched(to('bob@far.example'), 'To: bob@far.example\r\n'), 1)
  assert.equal(await matched(to('bob@far.example'), 'Cc: bob@far.example\r\n'), 1)
})

test('counts of matches add up, each to its own, and changes stay', () => {
  const before = { ...noCounts(2), matched: 1, changed: 5, filters: counted([1, 2], [3, 4]) }
  const found = { matched: 10, filters: counted([10, 20], [30, 40]) }
  assert.deepEqual(plusMatches(before, found), { ...before, matched: 11, filters: counted([11, 22], [33, 44]) })
})

const anyFilter = fc.record({
  action: fc.constantFrom('move' as const, 'label' as const, 'star' as const, 'read' as const),
  argument: fc.constantFrom('inbox', 'archive', 'work', 'home'),
  value: fc.constantFrom('invoice', 'hello', 'x'),
  broken: fc.constantFrom(null, null, 'label_deleted' as const),
})
const anyHeading = fc.record({
  seen: fc.boolean(),
  flagged: fc.boolean(),
  keywords: fc.uniqueArray(fc.constantFrom('work', 'home', 'own')),
  subject: fc.constantFrom('Invoice', 'Hello', 'Invoice hello', 'Other'),
})

function changed(message: Heading, { seen, flagged, addKeywords = [] }: Change): Heading {
  const keywords = [...message.keywords, ...addKeywords]
  return { ...message, seen: seen ?? message.seen, flagged: flagged ?? message.flagged, keywords }
}

test('each message becomes what the filters make of it, and a second run finds nothing more to do', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(anyFilter, { maxLength: 5 }),
      fc.array(anyHeading, { maxLength: 8 }),
      async (some, others) => {
        const filters = some.map(({ action, argument, value, broken }) =>
          filter({ action, value, broken, argument: action === 'move' || action === 'label' ? argument : null }),
        )
        const messages = others.map((message, index) => heading({ ...message, uid: 10 * index + 1 }))
        const { groups, matched } = await evaluate(filters, messages, inbox)
        const matching = messages.filter((one) => filters.some((each) => matches(each, headingInput(one, address))))
        assert.equal(matched, matching.length)
        const uids = groups.flatMap((group) => group.uids)
        assert.equal(new Set(uids).size, uids.length, 'a message is in two groups')
        assert.equal(new Set(groups.map(({ change }) => JSON.stringify(change))).size, groups.length)
        for (const message of messages) {
          const change = groups.find((group) => group.uids.includes(message.uid))?.change
          const run = new FilterRun('inbox')
          for (const one of filters) if (matches(one, headingInput(message, address))) run.apply(one)
          const { folder, seen, flagged, keywords } = run.result()
          const after = changed(message, change ?? {})
          const all = [...new Set([...message.keywords, ...keywords])].toSorted()
          assert.deepEqual(
            [change?.folder ?? 'inbox', after.seen, after.flagged, after.keywords.toSorted()],
            [folder, message.seen || seen, message.flagged || flagged, all],
          )
          assert.deepEqual((await evaluate(filters, [after], { ...inbox, folder })).groups, [])
        }
      },
    ),
  ))
