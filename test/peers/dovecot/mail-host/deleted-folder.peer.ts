import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appendMessages } from '#/adapters/mail-host/imap/changing/append.ts'
import { ImapSession } from '#/adapters/mail-host/imap/client/session.ts'
import { parseQuery } from '#/search/query.ts'
import { letter } from '#test/conformance/mail-host/letters.ts'
import { newDomain, newMailbox } from '#test/conformance/mail-host/mailboxes.ts'
import { imapMailHost } from '#test/peers/dovecot/imap-mail-host.ts'
import { sharedDovecot } from '#test/peers/dovecot/shared-dovecot.ts'
import { tap } from '#test/peers/dovecot/tap.ts'

const shared = sharedDovecot()

test('a folder that another program deletes meanwhile is passed over by searches and counts of all folders', async () => {
  const { dovecot, database } = shared
  let gone: (() => Promise<unknown>) | undefined
  await using proxy = await tap(dovecot.server, undefined, async (said) => {
    if (!said.includes('SELECT "Gone"')) return
    await gone?.()
    gone = undefined
  })
  await using host = imapMailHost(database.db, { ...dovecot.server, port: proxy.port })
  const ada = await newMailbox(database.db, host, await newDomain(database.db), 'ada')
  await host.folders(ada)
  const { connection } = await ImapSession.open(dovecot.server, ada.mailboxId)
  using _closing = { [Symbol.dispose]: () => connection.close() }
  const search = () => host.search([ada], { tree: parseQuery('is:starred').tree, now: new Date(), limit: 10 })
  for (const look of [
    async () => (await search()).found.length,
    async () => (await host.keywordTotals([ada])).map(({ total }) => total).join(),
  ]) {
    const session = await ImapSession.open(dovecot.server, ada.mailboxId)
    for (const path of ['INBOX', 'Gone']) {
      const marks = { seen: false, flagged: true, keywords: ['work'], filteredBy: [] }
      await appendMessages(session, path, [{ raw: letter({}), messageId: null, receivedAt: new Date(0), ...marks }])
    }
    session.connection.close()
    const before = Number(await look())
    gone = () => connection.run(['DELETE Gone'])
    assert.equal(Number(await look()), before - 1)
  }
})
