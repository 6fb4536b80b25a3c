import assert from 'node:assert/strict'
import { test } from 'node:test'
import { invalid, Refusal } from '#/base/errors.ts'
import { idHashKey } from '#/formats/mime/id-hash.ts'
import type { FolderChanges } from '#/mail/store/changes.ts'
import type { FolderState } from '#/mail/store/folders.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { type ThreadRow, threadStep } from '#test/mail/threads/rows.ts'
import { each } from '#test/world/each.ts'
import { ThreadCache } from './cache.ts'
import { MailboxIndexes } from './mailbox-indexes.ts'

const key = idHashKey('a secret')
const mailbox = { organizationId: 'o', mailboxId: 'm' }

/** Folders that change at the moments that a test chooses. */
class Folders {
  readonly folders = new Map<string, ThreadRow[]>()
  readonly read: string[] = []
  /** Before the folders are listed. */
  listing = async (): Promise<void> => {}
  /** Before a folder is read. */
  reading = async (_: string): Promise<void> => {}

  append(folder: string, receivedAt: number): void {
    const there = this.folders.get(folder) ?? []
    const uid = there.length + 1
    const ids = { messageId: `${folder} ${uid}`, strong: [], weak: [] }
    this.folders.set(folder, [...there, { uid, seen: true, receivedAt, sender: '', ids }])
  }

  readonly folderStates = async () => {
    await this.listing()
    return Array.from(this.folders, ([name, messages]) => ({ name, state: stateOf(messages) }))
  }

  readonly changes = async (_: MailboxRef, folder: string, since: FolderState | undefined): Promise<FolderChanges> => {
    this.read.push(folder)
    await this.reading(folder)
    const messages = this.folders.get(folder)
    if (!messages) throw invalid('folder', 'There is no such folder')
    const appended = messages.filter(({ uid }) => uid >= (since?.uidNext ?? 1))
    return { ...threadStep(key, { appended }), state: stateOf(messages), exists: messages.length }
  }
}

function stateOf(messages: readonly ThreadRow[]): FolderState {
  return { uidValidity: 7, modseq: messages.length + 1, uidNext: messages.length + 1 }
}

function indexesOf({ changes, folderStates }: Folders): MailboxIndexes {
  return new MailboxIndexes({ folderStates, threads: new ThreadCache({ changes, key, maxBytes: 1 << 30 }) })
}

function holding(...folders: readonly string[]): Folders {
  const host = new Folders()
  for (const folder of folders) host.append(folder, 1_000)
  return host
}

test('a mailbox is not held before its folders have been read', async () => {
  const host = holding('inbox')
  const indexes = indexesOf(host)
  const held = [indexes.isHeld(mailbox)]
  host.listing = async () => void held.push(indexes.isHeld(mailbox))
  await indexes.upToDate(mailbox)
  assert.deepEqual(held.slice(0, 2), [false, false])
  assert.equal(indexes.isHeld(mailbox), true)
})

test('mail that arrives in one folder while another is first read is found', async () => {
  const host = holding('archive', 'inbox')
  host.reading = async (folder) => {
    if (folder === 'inbox' && host.folders.get('archive')?.length === 1) host.append('archive', 1_001)
  }
  assert.equal((await indexesOf(host).upToDate(mailbox)).total({}), 3)
})

test('folders that have not changed are not read again', async () => {
  const host = holding('archive', 'inbox')
  const indexes = indexesOf(host)
  await indexes.upToDate(mailbox)
  host.read.length = 0
  await indexes.upToDate(mailbox)
  assert.deepEqual(host.read, [])
})

test('a folder deleted after it was listed is left out; one that is listed and never exists is an error', async () => {
  const host = holding('Gone', 'inbox')
  host.reading = async (folder) => void (folder === 'Gone' && host.folders.delete('Gone'))
  assert.deepEqual(each((await indexesOf(host).upToDate(mailbox)).folders, 'name'), ['inbox'])
  const broken = holding('Gone')
  broken.listing = async () => broken.append('Gone', 1_000)
  broken.reading = async (folder) => void broken.folders.delete(folder)
  await assert.rejects(
    indexesOf(broken).upToDate(mailbox),
    (error) => error instanceof Refusal && error.field === 'folder',
  )
})

for (const [what, archive, inbox] of [
  ['a millisecond later', 1_000, 1_001],
  ['a millisecond earlier', 1_001, 1_000],
  ['at the same instant, in a folder whose name comes later', 1_000, 1_000],
] as const)
  test(`a conversation is listed at its newest message, of folders that got theirs ${what}`, async () => {
    const host = new Folders()
    for (const [folder, receivedAt] of Object.entries({ archive, inbox })) {
      const ids = { messageId: folder, strong: ['both'], weak: [] }
      host.folders.set(folder, [{ uid: 1, seen: true, receivedAt, sender: '', ids }])
    }
    const [listed, ...others] = (await indexesOf(host).upToDate(mailbox)).page({}, { limit: 2, from: 0 })
    assert.deepEqual([listed?.place.folder, others], [archive > inbox ? 'archive' : 'inbox', []])
  })
