import { pino } from 'pino'
import { ImapMailHost } from '#/adapters/mail-host/imap/index.ts'
import type { Db } from '#/db/schema.ts'
import { idHashKey } from '#/mime/id-hash.ts'
import { MessageReader } from '#/mime/reader.ts'
import type { ImapServer } from '#/ports/servers.ts'

/** The IMAP mail host as the program has it, but with a silent log. */
export function imapMailHost(db: Db, server: ImapServer, mostSpooledBytes = 1 << 30): ImapMailHost {
  return new ImapMailHost({
    db,
    server,
    key: idHashKey('a secret'),
    reader: new MessageReader(),
    log: pino({ level: 'silent' }),
    mostSpooledBytes,
  })
}
