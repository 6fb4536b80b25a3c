import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { databaseOfFile } from '#test/world/database/database.ts'
import { copy } from '#test/world/letters/letters.ts'
import { storeCopies } from '#test/world/mail/mailboxes.ts'
import { newTrial } from '#test/world/mail/trial.ts'
import { folderChanges } from './changes.ts'
import { expungeMessages } from './expunge.ts'
import type { FolderState } from './folders.ts'
import type { ListQuery } from './list.ts'
import { listMessages } from './list.ts'
import type { MailboxRef } from './mailbox-ref.ts'
import type { Summary } from './read.ts'
import { readSummaries } from './read.ts'
import { updateMessages } from './update.ts'

const { db } = await databaseOfFile()

const names = ['inbox', 'archive'] as const
type Name = (typeof names)[number]

/** An operation on a folder. Uids are small, so that most exist. */
type Happening =
  | { readonly what: 'append'; readonly folder: Name; readonly seen: readonly boolean[] }
  | { readonly what: 'flag'; readonly folder: Name; readonly uids: readonly number[]; readonly seen: boolean }
  | { readonly what: 'label'; readonly folder: Name; readonly uids: readonly number[] }
  | { readonly what: 'move'; readonly folder: Name; readonly uids: readonly number[] }
  | { readonly what: 'expunge'; readonly folder: Name; readonly uids: readonly number[] }
  | { readonly what: 'look'; readonly folder: Name }

const folder = fc.constantFrom(...names)
const uids = fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { maxLength: 6 })
const seen = fc.array(fc.boolean(), { minLength: 1, maxLength: 3 })
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ what: fc.constant('append'), folder, seen }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('flag'), folder, uids, seen: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('label'), folder, uids }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('move'), folder, uids }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('expunge'), folder, uids }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('look'), folder }) },
)

test('after every history the folders hold what they should, and readers that followed know it', async () => {
  const history = fc.array(happening, { minLength: 5, maxLength: 25 })
  await fc.assert(
    fc.asyncProperty(history, async (happenings) => {
      const { ada } = await newTrial(db)
      const models = new Map(names.map((name) => [name, new Model()]))
      const readers = new Map(names.map((name) => [name, new Reader(ada, name)]))
      for (const one of happenings) {
        if (one.what === 'look') await readers.get(one.folder)?.follow()
        else await happen(ada, models, one)
      }
      for (const [name, model] of models) await assertHolds(ada, name, model, readers.get(name))
    }),
    { numRuns: 15 },
  )
})

/** The model of a folder: seen and labelled, by uid. */
class Model {
  readonly messages = new Map<number, { seen: boolean; labelled: boolean }>()
  #next = 1

  add(message: { seen: boolean; labelled: boolean }): void {
    this.messages.set(this.#next++, message)
  }

  present(uids: readonly number[]): number[] {
    return uids.filter((uid) => this.messages.has(uid)).sort((a, b) => a - b)
  }

  change(uids: readonly number[], change: { seen: boolean } | { labelled: boolean }): void {
    for (const uid of this.present(uids)) Object.assign(this.messages.get(uid) ?? {}, change)
  }
}

async function happen(
  mailbox: MailboxRef,
  models: ReadonlyMap<Name, Model>,
  one: Exclude<Happening, { what: 'look' }>,
): Promise<void> {
  const { folder } = one
  const model = models.get(folder) ?? new Model()
  switch (one.what) {
    case 'append':
      await storeCopies(
        db,
        one.seen.map((seen) => copy(mailbox, { folder, seen })),
      )
      for (const seen of one.seen) model.add({ seen, labelled: false })
      return
    case 'flag':
      await updateMessages(db, mailbox, folder, one.uids, { seen: one.seen })
      return model.change(one.uids, { seen: one.seen })
    case 'label':
      await updateMessages(db, mailbox, folder, one.uids, { addKeywords: ['work'] })
      return model.change(one.uids, { labelled: true })
    case 'move': {
      const target = folder === 'inbox' ? 'archive' : 'inbox'
      await updateMessages(db, mailbox, folder, one.uids, { folder: target })
      for (const uid of model.present(one.uids)) {
        models.get(target)?.add(model.messages.get(uid) ?? { seen: false, labelled: false })
        model.messages.delete(uid)
      }
      return
    }
    case 'expunge':
      assert.deepEqual(await expungeMessages(db, mailbox, folder, one.uids), model.present(one.uids))
      for (const uid of one.uids) model.messages.delete(uid)
  }
}

async function assertHolds(mailbox: MailboxRef, folder: Name, model: Model, reader?: Reader) {
  const messages = [...model.messages].map(([uid, { seen, labelled }]) => ({ uid, seen, labelled }))
  const held = await readSummaries(
    db,
    mailbox,
    folder,
    Array.from({ length: 100 }, (_, index) => index),
  )
  assert.deepEqual(
    held.map(({ uid, seen, keywords }) => ({ uid, seen, labelled: keywords.length > 0 })),
    messages,
  )
  for (const unread of [undefined, true, false])
    for (const keyword of [undefined, 'work']) {
      const wanted = held.filter(({ seen, keywords }) => seen !== unread && (!keyword || keywords.includes(keyword)))
      const query = { ...(unread !== undefined && { unread }), ...(keyword !== undefined && { keyword }) }
      await assertLists(mailbox, folder, query, wanted)
    }
  await reader?.follow()
  assert.deepEqual(reader?.held, new Map(messages.map(({ uid, seen }) => [uid, seen])))
}

/** Every page of the list, and the one after its end, is what it should be. */
async function assertLists(
  mailbox: MailboxRef,
  folder: Name,
  query: Pick<ListQuery, 'unread' | 'keyword'>,
  wanted: readonly Summary[],
): Promise<void> {
  const newestFirst = wanted.toSorted((a, b) => b.receivedAt.getTime() - a.receivedAt.getTime() || b.uid - a.uid)
  const limit = 3
  for (let page = 0; page * limit < wanted.length + 2 * limit; page++) {
    const { total, messages } = await listMessages(db, mailbox, folder, { limit, page, ...query })
    assert.equal(total, wanted.length)
    assert.deepEqual(messages, newestFirst.slice(page * limit, (page + 1) * limit))
  }
}

/** A copy of a folder's uids and seen flags that follows its changes, as the thread index does. */
class Reader {
  readonly held = new Map<number, boolean>()
  readonly #mailbox: MailboxRef
  readonly #folder: string
  #state: FolderState | undefined

  constructor(mailbox: MailboxRef, folder: string) {
    this.#mailbox = mailbox
    this.#folder = folder
  }

  async follow(): Promise<void> {
    for (let more = true; more; ) {
      const step = await folderChanges(db, this.#mailbox, this.#folder, this.#state)
      if (step.reset) this.held.clear()
      for (const uid of step.expunged) this.held.delete(uid)
      for (const [index, uid] of step.flags.uid.entries()) {
        assert.ok(this.held.has(uid), 'flags are of messages that the reader holds')
        this.held.set(uid, step.flags.seen[index] === 1)
      }
      for (const [index, uid] of step.rows.uid.entries()) this.held.set(uid, step.rows.seen[index] === 1)
      this.#state = step.state
      more = step.more
      if (!more) assert.equal(this.held.size, step.exists)
    }
  }
}
