import type { MailHost } from '#/ports/mail-host.ts'
import type { Bench } from '#test/conformance/mail-host/bench.ts'
import { newMailboxes } from '#test/conformance/mail-host/mailboxes.ts'
import { mailHostConformance } from '#test/conformance/mail-host/suite.ts'
import { imapMailHost } from '#test/peers/dovecot/imap-mail-host.ts'
import { DovecotServer } from '#test/peers/dovecot/imap-server.ts'
import { testDatabase } from '#test/world/database/database.ts'

mailHostConformance('a mail host that is Dovecot', () => benchOn(''))

mailHostConformance('Dovecot that one process writes to and another reads', () => benchOn('', { processes: 2 }))

/** No QRESYNC, MOVE, SORT, MULTIAPPEND, LIST-STATUS, LITERAL+ nor SASL-IR; folders below INBOX, under names of their own. */
const sparse = `
  imap_capability = IMAP4rev1 UIDPLUS CONDSTORE ENABLE NAMESPACE SPECIAL-USE LIST-EXTENDED STATUS=SIZE
  namespace inbox {
    separator = .
    prefix = INBOX.
    mailbox Gesendet {
      special_use = \\Sent
      auto = create
    }
    mailbox "Junk &- more" {
      special_use = \\Junk
    }
  }
`
mailHostConformance('a mail host that has little more than it must', () => benchOn(sparse))

mailHostConformance('such a one, between two processes', () => benchOn(sparse, { processes: 2 }))

async function benchOn(settings: string, { processes = 1 } = {}): Promise<Bench> {
  await using starting = new AsyncDisposableStack()
  const { server } = starting.use(await DovecotServer.start(settings))
  const { db } = starting.use(await testDatabase())
  const writer = starting.use(imapMailHost(db, server))
  const host = processes === 1 ? writer : readBy(starting.use(imapMailHost(db, server)), writer)
  const started = starting.move()
  return {
    host,
    transaction: (work) => db.transaction().execute(work),
    kept: { bytes: heldByImap, date: (at) => new Date(Math.floor(at.getTime() / 1_000) * 1_000) },
    mailboxes: () => newMailboxes(db, host),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

function readBy(reader: MailHost, writer: MailHost): MailHost {
  return {
    open: (tx, mailbox) => writer.open(tx, mailbox),
    append: (tx, copies) => writer.append(tx, copies),
    hasRoom: (organizationId) => writer.hasRoom(organizationId),
    checkFolder: (organizationId, folder) => reader.checkFolder(organizationId, folder),
    saveDraft: (mailbox, draft) => writer.saveDraft(mailbox, draft),
    update: (mailbox, folder, uids, change, by, recording) =>
      writer.update(mailbox, folder, uids, change, by, recording),
    folderNow: (mailbox, folder) => reader.folderNow(mailbox, folder),
    expunge: (mailbox, folder, uids) => writer.expunge(mailbox, folder, uids),
    createFolder: (mailbox, folder) => writer.createFolder(mailbox, folder),
    renameFolder: (mailbox, folder, to) => writer.renameFolder(mailbox, folder, to),
    removeFolder: (mailbox, folder) => writer.removeFolder(mailbox, folder),
    uidsAfter: (mailbox, folder, uid, most) => reader.uidsAfter(mailbox, folder, uid, most),
    marked: (mailbox, folders, mark) => reader.marked(mailbox, folders, mark),
    extent: (mailbox, folder) => reader.extent(mailbox, folder),
    headings: (mailbox, folder, range) => reader.headings(mailbox, folder, range),
    empty: (mailbox) => writer.empty(mailbox),
    remove: (mailbox) => writer.remove(mailbox),
    folders: (mailbox) => reader.folders(mailbox),
    folderStates: (mailbox) => reader.folderStates(mailbox),
    keywordTotals: (mailboxes) => reader.keywordTotals(mailboxes),
    list: (mailbox, folder, query) => reader.list(mailbox, folder, query),
    summaries: (mailbox, folder, uids) => reader.summaries(mailbox, folder, uids),
    read: (mailbox, folder, uid) => reader.read(mailbox, folder, uid),
    search: (mailboxes, query) => reader.search(mailboxes, query),
    changes: (mailbox, folder, since) => reader.changes(mailbox, folder, since),
    storageUsed: (organizationId) => reader.storageUsed(organizationId),
    storageOf: (mailboxes) => reader.storageOf(mailboxes),
    ping: () => reader.ping(),
  }
}

/** What docs/mail-host.md says of bytes that IMAP does not know. */
function heldByImap(raw: Buffer): Buffer {
  return raw.length === 0 ? Buffer.from('\r\n') : Buffer.from(raw.map((byte) => byte || 0x80))
}
