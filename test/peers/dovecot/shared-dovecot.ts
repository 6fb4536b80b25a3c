import { after, before } from 'node:test'
import type { Database } from '#/db/open.ts'
import { testDatabase } from '#test/world/database/database.ts'
import { DovecotServer } from './imap-server.ts'

/** A database and a Dovecot for all tests of a file. */
export function sharedDovecot(): { readonly database: Database; readonly dovecot: DovecotServer } {
  const shared = {} as { database: Database; dovecot: DovecotServer }
  before(async () => {
    shared.database = await testDatabase()
    shared.dovecot = await DovecotServer.start()
  })
  after(async () => {
    await shared.database[Symbol.asyncDispose]()
    await shared.dovecot[Symbol.asyncDispose]()
  })
  return shared
}
