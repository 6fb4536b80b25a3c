import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { FolderState } from '#/ports/folder-changes.ts'
import type { ListQuery, MailboxRef, MailHost, Summary } from '#/ports/mail-host.ts'
import type { Bench } from './bench.ts'
import { copy } from './letters.ts'

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

/** After any operations two folders equal a simple model of them, and so does a reader that asks for changes,
 *  however rarely. */
export function followsEveryHistory(bench: () => Bench): void {
  test('after every history the folders hold what they should, and readers that followed know it', async () => {
    const history = fc.array(happening, { minLength: 5, maxLength: 25 })
    await fc.assert(
      fc.asyncProperty(history, async (happenings) => {
        const { ada } = await bench().mailboxes()
        const models = new Map(names.map((name) => [name, new Model()]))
        const readers = new Map(names.map((name) => [name, new Reader(bench().host, ada, name)]))
        for (const one of happenings) {
          if (one.what === 'look') await readers.get(one.folder)?.follow()
          else await happen(bench(), ada, models, one)
        }
        for (const [name, model] of models) await assertHolds(bench().host, ada, name, model, readers.get(name))
      }),
      { numRuns: 15 },
    )
  })
}

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
  { host, transaction }: Bench,
  mailbox: MailboxRef,
  models: ReadonlyMap<Name, Model>,
  one: Exclude<Happening, { what: 'look' }>,
): Promise<void> {
  const { folder } = one
  const model = models.get(folder) ?? new Model()
  switch (one.what) {
    case 'append':
      await transaction((tx) =>
        host.append(
          tx,
          one.seen.map((seen) => copy(mailbox, { folder, seen })),
        ),
      )
      for (const seen of one.seen) model.add({ seen, labelled: false })
      return
    case 'flag':
      await host.update(mailbox, folder, one.uids, { seen: one.seen })
      return model.change(one.uids, { seen: one.seen })
    case 'label':
      await host.update(mailbox, folder, one.uids, { addKeywords: ['work'] })
      return model.change(one.uids, { labelled: true })
    case 'move': {
      const target = folder === 'inbox' ? 'archive' : 'inbox'
      await host.update(mailbox, folder, one.uids, { folder: target })
      for (const uid of model.present(one.uids)) {
        models.get(target)?.add(model.messages.get(uid) ?? { seen: false, labelled: false })
        model.messages.delete(uid)
      }
      return
    }
    case 'expunge':
      assert.deepEqual(await host.expunge(mailbox, folder, one.uids), model.present(one.uids))
      for (const uid of one.uids) model.messages.delete(uid)
  }
}

async function assertHolds(host: MailHost, mailbox: MailboxRef, folder: Name, model: Model, reader?: Reader) {
  const messages = [...model.messages].map(([uid, { seen, labelled }]) => ({ uid, seen, labelled }))
  const held = await host.summaries(
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
      await assertLists(host, mailbox, folder, query, wanted)
    }
  await reader?.follow()
  assert.deepEqual(reader?.held, new Map(messages.map(({ uid, seen }) => [uid, seen])))
}

/** Every page of the list, and the one after its end, is what it should be. */
async function assertLists(
  host: MailHost,
  mailbox: MailboxRef,
  folder: Name,
  query: Pick<ListQuery, 'unread' | 'keyword'>,
  wanted: readonly Summary[],
): Promise<void> {
  const newestFirst = wanted.toSorted((a, b) => b.receivedAt.getTime() - a.receivedAt.getTime() || b.uid - a.uid)
  const limit = 3
  for (let page = 0; page * limit < wanted.length + 2 * limit; page++) {
    const { total, messages } = await host.list(mailbox, folder, { limit, page, ...query })
    assert.equal(total, wanted.length)
    assert.deepEqual(messages, newestFirst.slice(page * limit, (page + 1) * limit))
  }
}

/** A copy of a folder's uids and seen flags that follows its changes, as the thread index does. */
class Reader {
  readonly held = new Map<number, boolean>()
  readonly #host: MailHost
  readonly #mailbox: MailboxRef
  readonly #folder: string
  #state: FolderState | undefined

  constructor(host: MailHost, mailbox: MailboxRef, folder: string) {
    this.#host = host
    this.#mailbox = mailbox
    this.#folder = folder
  }

  async follow(): Promise<void> {
    for (let more = true; more; ) {
      const step = await this.#host.changes(this.#mailbox, this.#folder, this.#state)
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
