// On both databases: a change of many messages locks their folder.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ImapClient } from '#test/world/imap/client.ts'
import { type ReadingMailbox, readingMailbox, Serving } from '#test/world/imap/serving.ts'

const serving = await Serving.ofFile()

const letter = 'Subject: a\r\n\r\nb\r\n'
/** 64 messages, and how often they are doubled: some steps of a change. */
const [letters, doublings] = [Array(64).fill(`{${letter.length}+}\r\n${letter}`).join(' '), 6]

/** Whose programs work meanwhile. */
const others = {
  'another organization': async () => readingMailbox(await serving.world.organization({ plan: 'self_hosted' }), 'eve'),
  'another mailbox': () => serving.newMailbox(),
  'the same mailbox': async () => serving.mailbox,
}

async function inInbox(mailbox: ReadingMailbox): Promise<ImapClient> {
  const client = await serving.signedIn(mailbox)
  for (const command of [`APPEND INBOX ${letters}`, 'SELECT INBOX'])
    assert.equal((await client.run(command)).status, 'OK')
  return client
}

test('while one command changes, copies, moves or expunges very many messages, those of others are carried out', async () => {
  await using programs = new AsyncDisposableStack()
  const changing = programs.use(await inInbox(serving.mailbox))
  for (let n = 0; n < doublings; n++) assert.equal((await changing.run('COPY 1:* INBOX')).status, 'OK')
  const clients = new Map<string, ImapClient>()
  for (const [whose, mailbox] of Object.entries(others))
    clients.set(whose, programs.use(await inInbox(await mailbox())))
  for (const command of ['STORE 1:* +FLAGS.SILENT (\\Deleted)', 'COPY 1:* Archive', 'MOVE 1:* Trash', 'EXPUNGE']) {
    if (command === 'EXPUNGE') await changing.run('SELECT Archive')
    let isChanging = true
    const change = changing.run(command).finally(() => (isChanging = false))
    const carriedOut = Array.from(clients, async ([whose, client]) => {
      let meanwhile = 0
      while (isChanging) {
        await client.run(['FETCH * (FLAGS ENVELOPE BODY.PEEK[])', `APPEND Drafts ${letters}`][meanwhile % 2] ?? '')
        if (isChanging) meanwhile++
      }
      return [whose, meanwhile > 0]
    })
    assert.equal((await change).status, 'OK')
    assert.deepEqual(
      await Promise.all(carriedOut),
      Object.keys(others).map((whose) => [whose, true]),
      command,
    )
  }
})
