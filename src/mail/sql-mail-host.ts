import type { Db } from '#/db/schema.ts'
import { standardFolders } from '#/messages/folders/folder-name.ts'
import type { IdHashKey } from '#/mime/id-hash.ts'
import type { MailHost } from '#/ports/mail-host.ts'
import { append, appendNew } from './append.ts'
import { changes } from './changes.ts'
import { saveDraft } from './drafts.ts'
import { empty } from './empty.ts'
import { expunge } from './expunge.ts'
import { folderNow, folderStates, folderStatuses, makeFolders } from './folders.ts'
import { extent, headings } from './headings.ts'
import { keywordTotals } from './keywords.ts'
import { createFolder, removeFolder, renameFolder } from './make-folder.ts'
import { marked } from './marked.ts'
import { expungeNamed } from './named/expunge.ts'
import { findNamed, readNamed, summariesNamed } from './named/find.ts'
import { updateNamed } from './named/update.ts'
import { markOriginals } from './originals.ts'
import { withoutStored } from './own-copies.ts'
import { list, read, summaries, uidsAfter } from './read.ts'
import { search } from './search/search.ts'
import { storageOf, storageUsed } from './storage.ts'
import { update } from './update.ts'

/** The mail host in the program's own database (docs/database.md#mail-in-the-database). */
export function sqlMailHost(db: Db, key: IdHashKey): MailHost {
  return {
    async open(tx, mailbox) {
      const folders = standardFolders.map((name) => ({ mailbox, name }))
      await makeFolders(tx, folders)
    },
    async append(tx, copies, by) {
      await markOriginals(tx, key, copies, by)
      await append(tx, key, await withoutStored(tx, key, copies))
    },
    appendNew: (copies, arrivals) => appendNew(db, key, copies, arrivals),
    saveDraft: (mailbox, draft, by) => saveDraft(db, key, mailbox, draft, by),
    createFolder: (mailbox, folder) => createFolder(db, mailbox, folder),
    renameFolder: (mailbox, folder, to) => renameFolder(db, mailbox, folder, to),
    removeFolder: (mailbox, folder) => removeFolder(db, mailbox, folder),
    folders: (mailbox) => folderStatuses(db, mailbox),
    folderStates: (mailbox) => folderStates(db, mailbox),
    list: (mailbox, folder, query) => list(db, mailbox, folder, query),
    keywordTotals: (mailboxes) => keywordTotals(db, mailboxes),
    summaries: (mailbox, folder, uids) => summaries(db, mailbox, folder, uids),
    uidsAfter: (mailbox, folder, uid, most) => uidsAfter(db, mailbox, folder, uid, most),
    marked: (mailbox, folders, mark) => marked(db, mailbox, folders, mark),
    extent: (mailbox, folder) => extent(db, mailbox, folder),
    headings: (mailbox, folder, range) => headings(db, mailbox, folder, range),
    read: (mailbox, folder, uid) => read(db, mailbox, folder, uid),
    findNamed: (organizationId, ids) => findNamed(db, organizationId, ids),
    summariesNamed: (organizationId, ids) => summariesNamed(db, organizationId, ids),
    readNamed: (organizationId, id) => readNamed(db, organizationId, id),
    updateNamed: (organizationId, ids, change, by, recording) =>
      updateNamed(db, organizationId, ids, change, by, recording),
    expungeNamed: (organizationId, ids, by, record) => expungeNamed(db, organizationId, ids, by, record),
    search: (mailboxes, query) => search(db, mailboxes, query),
    update: (mailbox, folder, uids, change, by, recording) => update(db, mailbox, folder, uids, change, by, recording),
    folderNow: (mailbox, folder) => folderNow(db, mailbox, folder),
    expunge: (mailbox, folder, uids, by, record) => expunge(db, mailbox, folder, uids, by, record),
    empty: (mailbox) => empty(db, mailbox),
    changes: (mailbox, folder, since) => changes(db, mailbox, folder, since),
    storageUsed: (organizationId) => storageUsed(db, organizationId),
    storageOf: (mailboxes) => storageOf(db, mailboxes),
  }
}
