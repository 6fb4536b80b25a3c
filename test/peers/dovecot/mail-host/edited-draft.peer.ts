import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMessage } from '#/mime/message.ts'
import { rawOf } from '#test/conformance/mail-host/letters.ts'
import { newDomain, newMailbox } from '#test/conformance/mail-host/mailboxes.ts'
import { imapMailHost } from '#test/peers/dovecot/imap-mail-host.ts'
import { DovecotServer } from '#test/peers/dovecot/imap-server.ts'
import { tap } from '#test/peers/dovecot/tap.ts'
import { testDatabase } from '#test/world/database/database.ts'

const id = '<draft.01@example.test>'

function draft(text: string, replaces: readonly number[] = []) {
  const message = readMessage(Buffer.from(`Message-ID: ${id}\r\nSubject: A draft\r\n\r\n${text}\r\n`))
  return { message, savedAt: new Date(), replaces }
}

for (const format of ['sdbox', 'maildir', 'mdbox']) {
  for (const command of ['RFC822.SIZE', '(UID BODY.PEEK[]<']) {
    test(`a draft in ${format} that another process replaces before ${command} is whole or gone`, async () => {
      await using database = await testDatabase()
      await using dovecot = await DovecotServer.start('', format)
      await using writer = imapMailHost(database.db, dovecot.server)
      const ada = await newMailbox(database.db, writer, await newDomain(database.db), 'ada')
      const first = (await writer.saveDraft(ada, draft('One'))) ?? 0
      let edited = 0
      await using proxy = await tap(dovecot.server, undefined, async (said) => {
        if (!said.includes(command) || edited++ > 0) return
        await writer.saveDraft(ada, draft('Two', [first]))
      })
      await using reader = imapMailHost(database.db, { ...dovecot.server, port: proxy.port })
      const stored = await reader.read(ada, 'drafts', first)
      assert.equal(edited > 0, true)
      assert.match(String((await rawOf(stored)) ?? 'One'), /One/)
    })
  }
}
