import { pino } from 'pino'
import { newMailboxes } from '#/adapters/mail-host/conformance/mailboxes.ts'
import { mailHostConformance } from '#/adapters/mail-host/conformance.ts'
import { ImapMailHost } from '#/adapters/mail-host/imap/index.ts'
import { idHashKey } from '#/mime/id-hash.ts'
import { testDatabase } from '../database.ts'
import { DovecotServer } from './imap-server.ts'

mailHostConformance('a mail host that is Dovecot', async () => {
  await using starting = new AsyncDisposableStack()
  const dovecot = starting.use(await DovecotServer.start())
  const { db } = starting.use(await testDatabase())
  const parts = {
    db,
    server: dovecot.server,
    key: idHashKey('a secret'),
    log: pino({ level: 'warn' }),
    mostSpooledBytes: 1 << 30,
  }
  const host = starting.use(new ImapMailHost(parts))
  const started = starting.move()
  return {
    host,
    transaction: (work) => db.transaction().execute(work),
    kept: { bytes: heldByImap, date: (at) => new Date(Math.floor(at.getTime() / 1_000) * 1_000) },
    mailboxes: () => newMailboxes(db, host),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
})

/** What docs/mail-host.md says of bytes that IMAP does not know. */
function heldByImap(raw: Buffer): Buffer {
  return raw.length === 0 ? Buffer.from('\r\n') : Buffer.from(raw.map((byte) => byte || 0x80))
}
