import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { folderStates } from '#/mail/store/folders.ts'
import { listMessages } from '#/mail/store/list.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { updateMessages } from '#/mail/store/update.ts'
import { storeMessages } from '#test/mail/threads/store-messages.ts'
import { World } from '#test/world/world.ts'

const keywords = { red: '', blue: '' }
const keys = { one: '', other: '' }
const world = await World.ofFile()
const organization = await world.organization({ plan: 'business' })
for (const name of ['one', 'other'] as const) keys[name] = await organization.newKey('messages:read', 'messages:write')
for (const name of ['red', 'blue'] as const)
  keywords[name] = (await organization.request('POST', '/v1/labels', { name })).body.keyword
for (const [value, action, argument] of [
  ['at', 'label', keywords.red],
  [`${receivedAt(1)}`, 'star', null],
  [`${receivedAt(2)}`, 'move', 'Projects'],
] as const) {
  const filter = { name: action, field: 'subject', op: 'contains', value, action, argument }
  assert.equal((await organization.request('POST', '/v1/filters', filter)).status, 201)
}

/** Messages in a mailbox, numbered from 0. */
const count = 6
const callers = ['one', 'other', 'program'] as const
const flags = ['seen', 'flagged', 'red', 'blue'] as const

interface State {
  readonly folder: string
  /** Tells the folder from another of the same name. */
  readonly key: number
  readonly uid: number
  readonly seen: boolean
  readonly flagged: boolean
  readonly red: boolean
  readonly blue: boolean
}

type Mail = ReadonlyMap<number, State>
type Settings = { readonly [Name in 'folder' | (typeof flags)[number]]?: State[Name] | undefined }

interface Change {
  readonly messages: readonly number[]
  readonly settings: Settings
  /** Of many messages, by one of two callers of the API; else by another mail program. */
  readonly by: (typeof callers)[number]
}

/** Changes of other kinds than of messages by their uids. */
const kinds = ['filters', 'folder_deleted', 'label_removed'] as const
type Step = Change | (typeof kinds)[number]

const change: fc.Arbitrary<Change> = fc.record({
  messages: fc.uniqueArray(fc.nat(count - 1), { minLength: 1 }),
  settings: fc
    .record(
      {
        folder: fc.constantFrom('inbox', 'archive', 'trash', 'Projects'),
        ...{ seen: fc.boolean(), flagged: fc.boolean(), red: fc.boolean(), blue: fc.boolean() },
      },
      { requiredKeys: [] },
    )
    .filter((settings) => Object.keys(settings).length > 0),
  by: fc.constantFrom(...callers),
})

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: change },
  { weight: 3, arbitrary: fc.constantFrom(...kinds) },
)

const caller = fc.constantFrom('one' as const, 'other' as const)

/** How mail was after a change; the first is how it began. */
interface Moment {
  readonly mail: Mail
  readonly recorded: boolean
  readonly changeId?: string
}

test('undo puts back to the flag what nobody has touched since, and to undo that brings it again', async () => {
  const history = fc.record({
    ...{ steps: fc.array(step, { minLength: 1, maxLength: 7 }), which: fc.nat() },
    by: fc.tuple(caller, caller, caller),
  })
  const rounds = fc.asyncProperty(history, async ({ steps, which, by: [first, second, third] }) => {
    const { mailbox, address } = await newMailbox()
    const moments: Moment[] = [{ mail: await mailIn(mailbox), recorded: true }]
    for (const step of steps) await perform(mailbox, address, step, moments)
    const changes = moments.flatMap(({ changeId }, at) => (changeId === undefined ? [] : [{ changeId, at }]))
    const [chosen] = changes.slice(which % Math.max(1, changes.length))
    if (!chosen) return
    const now = moments.at(-1)?.mail ?? new Map()

    const undone = (id: string, key: string) =>
      organization.request('POST', `/v1/changes/${id}/undo`, undefined, { key })
    const undo = await undone(chosen.changeId, keys[first])
    assert.equal(undo.status, 201)
    assert.equal(undo.body.state, 'done')
    const expected = [...now].map(([number, state]) => [number, afterUndo(number, state, moments, chosen.at)] as const)
    assert.deepEqual(placesOf(await mailIn(mailbox)), new Map(expected))

    const again = await undone(undo.body.id, keys[second])
    assert.equal(again.body.left_alone, 0)
    assert.deepEqual(placesOf(await mailIn(mailbox)), placesOf(now))

    const thrice = await undone(again.body.id, keys[third])
    assert.equal(thrice.body.left_alone, 0)
    assert.deepEqual(placesOf(await mailIn(mailbox)), new Map(expected))
  })
  await fc.assert(rounds, { numRuns: 30 })
})

type Restored = Omit<State, 'uid' | 'key'>

/** What the product promises: each flag, label and folder is put back by itself, where the message can be followed. */
function afterUndo(number: number, now: State, moments: readonly Moment[], change: number): Restored {
  const [was, became] = [moments[change - 1]?.mail.get(number), moments[change]?.mail.get(number)]
  if (!was || !became || isLost(number, moments.slice(change))) return placeOf(now)
  const back = { ...placeOf(now) }
  for (const flag of flags) if (was[flag] !== became[flag]) back[flag] = was[flag]
  const isThere = was.folder !== became.folder && now.key === became.key
  return isThere ? { ...back, folder: was.folder } : back
}

/** Whether something has moved the message that is not on record. */
function isLost(number: number, moments: readonly Moment[]): boolean {
  return moments.some(({ mail, recorded }, at) => {
    const before = moments[at - 1]?.mail.get(number)
    return !recorded && before !== undefined && before.folder !== mail.get(number)?.folder
  })
}

function placeOf({ uid: _uid, key: _key, ...place }: State): Restored {
  return place
}

function placesOf(mail: Mail): Map<number, Restored> {
  return new Map([...mail].map(([number, state]) => [number, placeOf(state)]))
}

/** Subjects have it too. */
function receivedAt(number: number): number {
  return Date.UTC(2026, 10, 21, 7, number)
}

async function newMailbox(): Promise<{ mailbox: MailboxRef; address: string }> {
  const { id: mailboxId, address } = await organization.mailbox(`box-${randomUUID().slice(0, 8)}`)
  const mailbox = { organizationId: organization.id, mailboxId }
  const messages = Array.from({ length: count }, (_, number) => ({
    ...{ seen: number % 2 === 0, receivedAt: receivedAt(number), sender: 'ann@x.test' },
    headers: `Message-ID: <${number}@x>\r\n`,
  }))
  await storeMessages(world, mailbox, messages)
  return { mailbox, address }
}

async function mailIn(mailbox: MailboxRef): Promise<Mail> {
  const found: [number, State][] = []
  for (const { name: folder, state } of await folderStates(world.db, mailbox)) {
    const { messages } = await listMessages(world.db, mailbox, folder, { limit: 100, page: 0 })
    for (const { messageId, uid, seen, flagged, keywords: has } of messages) {
      const [red, blue] = [has.includes(keywords.red), has.includes(keywords.blue)]
      const flags = { seen, flagged, red, blue }
      found.push([Number.parseInt(messageId?.slice(1) ?? '', 10), { folder, key: state.uidValidity, uid, ...flags }])
    }
  }
  return new Map(found.sort(([a], [b]) => a - b))
}

async function perform(mailbox: MailboxRef, address: string, step: Step, moments: Moment[]): Promise<void> {
  if (typeof step === 'object') return performChange(mailbox, address, step, moments)
  const changeId = await performOther[step](address, mailbox.mailboxId)
  moments.push({ mail: await mailIn(mailbox), recorded: true, ...(changeId !== null && { changeId }) })
}

/** Each answers the change's id. */
const performOther: Record<(typeof kinds)[number], (address: string, mailboxId: string) => Promise<string | null>> = {
  async filters(address) {
    const over = { mailboxes: [address], folders: ['inbox', 'archive'] }
    const { id } = (await organization.request('POST', '/v1/filters/runs', over)).body
    await world.filterRunner.processAll()
    const { body } = await organization.request('GET', `/v1/filter-runs/${id}`)
    assert.equal(body.state, 'done')
    return body.change_id
  },
  async folder_deleted(address) {
    const path = `/v1/folders/Projects?mailbox=${address}&move_to=trash`
    const { status, body } = await organization.request('DELETE', path)
    assert.ok(status === 200 || status === 404, JSON.stringify(body))
    return status === 200 ? body.change_id : null
  },
  async label_removed(_, mailboxId) {
    const key = await organization.restrictedKey({ mailbox_ids: [mailboxId] })
    const [{ id, name }] = (await organization.request('GET', '/v1/labels')).body.data
    const { body } = await organization.request('DELETE', `/v1/labels/${id}?from_messages=true`, undefined, { key })
    const again = await organization.request('POST', '/v1/labels', { name })
    assert.ok(Object.values(keywords).includes(again.body.keyword))
    return body.change_id
  },
}

/** Changes the messages of one folder after those of another. */
async function performChange(
  mailbox: MailboxRef,
  address: string,
  { messages, settings, by }: Change,
  moments: Moment[],
): Promise<void> {
  const mail = moments.at(-1)?.mail
  for (const [folder = '', numbers] of Map.groupBy(messages, (number) => mail?.get(number)?.folder)) {
    const uids = numbers.flatMap((number) => mail?.get(number)?.uid ?? [])
    const add = flags.slice(2).flatMap((name) => (settings[name] === true ? [keywords[name as 'red']] : []))
    const remove = flags.slice(2).flatMap((name) => (settings[name] === false ? [keywords[name as 'red']] : []))
    const { folder: to, seen, flagged } = settings
    const recorded = by !== 'program'
    if (recorded) {
      const body = {
        ...{ uids, starred: flagged, unread: seen === undefined ? undefined : !seen, folder: to },
        ...(add.length + remove.length > 0 && { add_labels: add, remove_labels: remove }),
      }
      const path = `/v1/messages?mailbox=${address}&folder=${folder}`
      const answer = await organization.bodyOf(200, 'PATCH', path, body, { key: keys[by] })
      const changeId: string | null = answer.change_id
      moments.push({ mail: await mailIn(mailbox), recorded, ...(changeId !== null && { changeId }) })
    } else {
      const change = {
        ...(seen !== undefined && { seen }),
        ...(flagged !== undefined && { flagged }),
        ...(to !== undefined && { folder: to }),
        ...{ addKeywords: add, removeKeywords: remove },
      }
      await updateMessages(world.db, mailbox, folder, uids, change)
      moments.push({ mail: await mailIn(mailbox), recorded })
    }
  }
}
