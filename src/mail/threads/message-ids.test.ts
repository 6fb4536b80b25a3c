import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { invalid, mailUnavailable } from '#/base/errors.ts'
import { idHashKey } from '#/formats/mime/id-hash.ts'
import type { Ids } from '#/mail/messages/visible.ts'
import type { FolderChanges } from '#/mail/store/changes.ts'
import type { FolderState } from '#/mail/store/folders.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { threadStep } from '#test/mail/threads/rows.ts'
import { ThreadCache } from './cache.ts'
import { MailboxIndexes } from './mailbox-indexes.ts'
import { ConversationNames } from './message-ids.ts'

const key = idHashKey('a secret')

/** Folders with one message of the uid that is given for each, by mailbox. */
class Folders {
  readonly read: string[] = []
  /** Holds back answers. */
  valve: Promise<void> | undefined
  readonly #uids: Readonly<Record<string, Readonly<Record<string, number>>>>

  constructor(uids: Readonly<Record<string, Readonly<Record<string, number>>>>) {
    this.#uids = uids
  }

  readonly folderStates = async ({ mailboxId }: MailboxRef) => {
    if (!this.#uids[mailboxId]) throw mailUnavailable(undefined)
    return Object.entries(this.#uids[mailboxId]).map(([name, uid]) => ({ name, state: stateOf(uid) }))
  }

  readonly changes = async ({ mailboxId }: MailboxRef, folder: string, since?: FolderState): Promise<FolderChanges> => {
    this.read.push(`${mailboxId} ${folder}`)
    const uid = this.#uids[mailboxId]?.[folder]
    await this.valve
    if (uid === undefined) throw invalid('folder', 'No such folder')
    if (!uid) throw mailUnavailable(undefined)
    const ids = { messageId: `${folder} ${uid}`, strong: [], weak: [] }
    const appended = since ? [] : [{ uid, seen: true, receivedAt: 1_000, sender: '', ids }]
    return { ...threadStep(key, { appended }), state: stateOf(uid), exists: 1 }
  }
}

function stateOf(uid: number): FolderState {
  return { uidValidity: 7, modseq: 1, uidNext: uid + 1 }
}

function threadsOf({ changes }: Folders): ThreadCache {
  return new ThreadCache({ changes, key, maxBytes: 1 << 30 })
}

function namesOf(host: Folders, threads = threadsOf(host)): ConversationNames {
  const { folderStates } = host
  return new ConversationNames({ threads, mailboxIndexes: new MailboxIndexes({ folderStates, threads }) })
}

const [both, threadOnly, none] = [['thread_id', 'conversation_id'], ['thread_id'], []]

/** Which ids there are of each message. */
function named(ids: readonly Ids[]): string[][] {
  return ids.map((one) => Object.entries(one).flatMap(([name, id]) => (id === null ? [] : name)))
}

function mailbox(mailboxId: string) {
  return { organizationId: 'o', mailboxId }
}

async function onPage(names: ConversationNames, ...messages: readonly (readonly [string, string, number])[]) {
  return named(
    await names.ofPage(messages.map(([mailboxId, folder, uid]) => ({ mailbox: mailbox(mailboxId), folder, uid }))),
  )
}

test('a page has the ids of messages in mailboxes that are read for it, up to 20,000 uids', async () => {
  const host = new Folders({ a: { inbox: 9_000, junk: 900 }, b: { inbox: 6_000, sent: 5_000 }, c: { inbox: 10_100 } })
  const names = namesOf(host)
  const found = await onPage(
    names,
    ...([
      ['a', 'inbox', 9_000],
      ['b', 'inbox', 6_000],
      ['a', 'junk', 900],
      ['a', 'inbox', 8_999],
      ['c', 'inbox', 10_100],
    ] as const),
  )
  assert.deepEqual(found, [both, none, threadOnly, none, both])
  // That of `b` is read for later.
  await names.idle()
  assert.deepEqual(host.read.toSorted(), ['a inbox', 'a junk', 'b inbox', 'b sent', 'c inbox'])
})

test('what is too much for a page is read in the background, of one mailbox at a time', async () => {
  const host = new Folders({ a: { inbox: 30_000, sent: 1 }, b: { inbox: 30_000, junk: 30_000 } })
  const names = namesOf(host)
  const page = () => onPage(names, ['a', 'inbox', 30_000], ['b', 'inbox', 30_000])
  assert.deepEqual(await page(), [none, none])
  await names.idle()
  assert.deepEqual(host.read, ['a inbox', 'a sent'])
  assert.deepEqual(await page(), [both, none])
  await names.idle()
  assert.deepEqual(await page(), [both, both])
  assert.deepEqual(await onPage(names, ['b', 'junk', 30_000]), [none])
  await names.idle()
  assert.deepEqual(await onPage(names, ['b', 'junk', 30_000]), [threadOnly])
})

test('the list of a folder has its threads whatever its size, and its conversations later', async () => {
  const names = namesOf(new Folders({ a: { inbox: 30_000, archive: 30_000 } }))
  const list = () => names.of(mailbox('a'), [{ folder: 'inbox', uid: 30_000 }])
  assert.deepEqual(named(await list()), [threadOnly])
  await names.idle()
  assert.deepEqual(named(await list()), [both])
})

test('a page has no ids of what cannot be read', async () => {
  const names = namesOf(new Folders({ a: { inbox: 1, archive: 0 } }))
  assert.deepEqual(await onPage(names, ['b', 'inbox', 1], ['a', 'archive', 1]), [none, none])
  assert.deepEqual(await onPage(names, ['a', 'inbox', 1]), [threadOnly])
})

test('for what is in memory, a mailbox is asked only for the states of its folders', async () => {
  const host = new Folders({ a: { inbox: 3, sent: 2 } })
  const names = namesOf(host)
  const page = () => onPage(names, ['a', 'inbox', 3], ['a', 'sent', 2])
  assert.deepEqual(await page(), [both, both])
  const read = host.read.length
  assert.deepEqual(await page(), [both, both])
  assert.equal(host.read.length, read)
})

test('the list of a large folder has its conversations while another request brings the folder up to date', async () => {
  const host = new Folders({ a: { inbox: 30_000 } })
  const threads = threadsOf(host)
  const names = namesOf(host, threads)
  const list = () => names.of(mailbox('a'), [{ folder: 'inbox', uid: 30_000 }])
  await list()
  await names.idle()
  const gate = Promise.withResolvers<void>()
  host.valve = gate.promise
  const other = threads.upToDate(mailbox('a'), 'inbox')
  const listed = list()
  // The list waits for the same folder then.
  await nextTurn()
  gate.resolve()
  assert.deepEqual(named(await listed), [both])
  await other
})

test('messages of a folder that was deleted meanwhile have no ids, and others have theirs', async () => {
  const names = namesOf(new Folders({ a: { inbox: 1 } }))
  const messages = ['Projects', 'inbox'].map((folder) => ({ folder, uid: 1 }))
  assert.deepEqual(named(await names.of(mailbox('a'), messages)), [none, both])
  assert.deepEqual(await onPage(names, ['a', 'Projects', 1], ['a', 'inbox', 1]), [none, both])
})
