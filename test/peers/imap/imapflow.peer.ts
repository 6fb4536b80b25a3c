import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ImapFlow } from 'imapflow'
import { people } from './person.ts'

const { newcomer } = people()

test('imapflow labels, searches, moves, drafts, renames and deletes, and is told of what the API does', async () => {
  await using ada = await newcomer()
  await ada.receives('One', 'Two', 'Three', 'Four')
  await ada.change('One', { add_labels: ['work'] })
  const { port, address, password } = ada.account
  const client = new ImapFlow({
    ...{ host: 'localhost', port, auth: { user: address, pass: password }, logger: false },
    ...{ tls: { rejectUnauthorized: false }, qresync: true },
  })
  await client.connect()
  try {
    await client.mailboxOpen('INBOX')
    const uidsOf = async (what: object) => (await client.search(what, { uid: true })) || []
    assert.deepEqual(await uidsOf({ keyword: 'work' }), [1])
    assert.deepEqual(await uidsOf({ body: 'About Three', seen: false }), [3])
    const [one] = await client.fetchAll('1', { envelope: true, bodyStructure: true, labels: true, source: true })
    assert.equal(one?.envelope?.subject, 'One')
    assert.equal(one?.bodyStructure?.type, 'text/plain')
    assert.match(String(one?.source), /About One/)
    await client.messageFlagsAdd('2', ['work', '\\Flagged'], { uid: true })
    await client.messageMove('3', 'Archive', { uid: true })
    await client.messageDelete('4', { uid: true })
    await client.append('Drafts', 'Subject: Plan\r\n\r\nA draft\r\n', ['\\Draft', '\\Seen'])
    await client.mailboxCreate(['Projects', 'Apollo'])
    await client.mailboxRename('Projects/Apollo', 'Projects/Gemini')
    const used = (await client.list()).map(({ path, specialUse }) => (specialUse ? `${path} ${specialUse}` : ''))
    assert.deepEqual(used.filter(Boolean).sort(), [
      ...['Archive \\Archive', 'Drafts \\Drafts', 'INBOX \\Inbox', 'Junk \\Junk', 'Sent \\Sent', 'Trash \\Trash'],
    ])

    const idle = client.idle()
    const told = new Promise((resolve) => client.once('flags', resolve))
    await ada.change('One', { unread: false })
    await told
    const came = new Promise((resolve) => client.once('exists', resolve))
    await ada.receives('Five')
    await came
    await client.noop()
    await idle
  } finally {
    client.close()
  }
  assert.deepEqual(await ada.has(), { Five: '', One: 'read work', Two: 'starred work' })
  assert.deepEqual(await ada.has('archive'), { Three: '' })
  assert.deepEqual(await ada.has('drafts'), { Plan: 'read' })
  assert.ok((await ada.folders()).includes('Projects/Gemini'))
})
