import type { Bench } from '#/adapters/mail-host/conformance/bench.ts'
import { newMailboxes } from '#/adapters/mail-host/conformance/mailboxes.ts'
import { mailHostConformance } from '#/adapters/mail-host/conformance.ts'
import { testDatabase } from '../database.ts'
import { imapMailHost } from './imap-mail-host.ts'
import { DovecotServer } from './imap-server.ts'

mailHostConformance('a mail host that is Dovecot', () => benchOn(''))

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

async function benchOn(settings: string): Promise<Bench> {
  await using starting = new AsyncDisposableStack()
  const { server } = starting.use(await DovecotServer.start(settings))
  const { db } = starting.use(await testDatabase())
  const host = starting.use(imapMailHost(db, server))
  const started = starting.move()
  return {
    host,
    transaction: (work) => db.transaction().execute(work),
    kept: { bytes: heldByImap, date: (at) => new Date(Math.floor(at.getTime() / 1_000) * 1_000) },
    mailboxes: () => newMailboxes(db, host),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

/** What docs/mail-host.md says of bytes that IMAP does not know. */
function heldByImap(raw: Buffer): Buffer {
  return raw.length === 0 ? Buffer.from('\r\n') : Buffer.from(raw.map((byte) => byte || 0x80))
}
