import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { mailUnavailable } from '#/errors.ts'
import { idHashKey } from '#/mime/id-hash.ts'
import type { FolderChanges, FolderState } from '#/ports/folder-changes.ts'
import type { MailboxRef, MailHost } from '#/ports/mail-host.ts'
import { threadStep } from '#test/threads/rows.ts'
import { ThreadCache } from './cache.ts'
import { MailboxIndexes } from './mailbox/mailbox-indexes.ts'
import { ConversationNames } from './message-ids.ts'

const key = idHashKey('a secret')

/** Folders with one message of the uid that is given for each, by mailbox. */
class Folders implements Pick<MailHost, 'changes' | 'folderStates'> {
  readonly read: string[] = []
  readonly #uids: Readonly<Record<string, Readonly<Record<string, number>>>>

  constructor(uids: Readonly<Record<string, Readonly<Record<string, number>>>>) {
    this.#uids = uids
  }

  async folderStates({ mailboxId }: MailboxRef) {
    if (!this.#uids[mailboxId]) throw mailUnavailable(undefined)
    return Object.entries(this.#uids[mailboxId]).map(([name, uid]) => ({ name, state: stateOf(uid) }))
  }

  async changes({ mailboxId }: MailboxRef, folder: string, since?: FolderState): Promise<FolderChanges> {
    this.read.push(`${mailboxId} ${folder}`)
    const uid = this.#uids[mailboxId]?.[folder]
    if (!uid) throw mailUnavailable(undefined)
    const ids = { messageId: `${folder} ${uid}`, strong: [], weak: [] }
    const appended = since ? [] : [{ uid, seen: true, receivedAt: 1_000, sender: '', ids }]
    return { ...threadStep(key, { appended }), state: stateOf(uid), exists: 1 }
  }
}

function stateOf(uid: number): FolderState {
  return { uidValidity: 7, modseq: 1, uidNext: uid + 1 }
}

function namesOf(mailHost: Folders): ConversationNames {
  const threads = new ThreadCache({ mailHost, key, maxBytes: 1 << 30 })
  return new ConversationNames({ mailHost, threads, mailboxIndexes: new MailboxIndexes({ mailHost, threads }) })
}

/** Which of its two ids a message has. */
async function has(
  idsOf: ReturnType<ConversationNames['ofPage']>,
  mailboxId: string,
  folder: string,
  uid: number,
): Promise<string[]> {
  const ids = (await idsOf({ organizationId: 'o', mailboxId }, folder, [uid])).get(uid)
  return Object.entries(ids ?? {}).flatMap(([name, id]) => (id === null ? [] : name))
}

const both = ['thread_id', 'conversation_id']

test('a page has the ids of messages in folders that are read for it, up to 20,000 uids', async () => {
  const host = new Folders({ a: { inbox: 9_000, junk: 900 }, b: { inbox: 6_000, sent: 5_000 }, c: { inbox: 11_000 } })
  const idsOf = namesOf(host).ofPage()
  assert.deepEqual(await has(idsOf, 'a', 'inbox', 9_000), both)
  assert.deepEqual(await has(idsOf, 'a', 'junk', 900), ['thread_id'])
  // Its two folders are too much for what is left, one of them is not.
  assert.deepEqual(await has(idsOf, 'b', 'inbox', 6_000), ['thread_id'])
  assert.deepEqual(await has(idsOf, 'c', 'inbox', 11_000), [])
})

test('what is too much for a page is read in the background, of one mailbox at a time', async () => {
  const host = new Folders({ a: { inbox: 30_000, sent: 1 }, b: { inbox: 30_000 }, c: { junk: 30_000 } })
  const names = namesOf(host)
  for (const [mailboxId, folder] of [
    ['a', 'inbox'],
    ['b', 'inbox'],
    ['c', 'junk'],
  ] as const)
    assert.deepEqual(await has(names.ofPage(), mailboxId, folder, 30_000), [])
  await nextTurn()
  assert.deepEqual(host.read, ['a inbox', 'a sent'])
  assert.deepEqual(await has(names.ofPage(), 'a', 'inbox', 30_000), both)
  assert.deepEqual(await has(names.ofPage(), 'b', 'inbox', 30_000), [])
  await nextTurn()
  assert.deepEqual(await has(names.ofPage(), 'b', 'inbox', 30_000), both)
})

test('the list of a folder has its threads whatever its size, and its conversations later', async () => {
  const names = namesOf(new Folders({ a: { inbox: 30_000, archive: 30_000 } }))
  assert.deepEqual(await has(names.of, 'a', 'inbox', 30_000), ['thread_id'])
  await nextTurn()
  assert.deepEqual(await has(names.of, 'a', 'inbox', 30_000), both)
})

test('a page has no ids of a mailbox that cannot be read', async () => {
  const host = new Folders({ a: { inbox: 1, archive: 0 } })
  assert.deepEqual(await has(namesOf(host).ofPage(), 'b', 'inbox', 1), [])
  assert.deepEqual(await has(namesOf(host).ofPage(), 'a', 'archive', 1), [])
  assert.deepEqual(await has(namesOf(host).ofPage(), 'a', 'inbox', 1), ['thread_id'])
})
