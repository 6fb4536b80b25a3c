import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ImapFlow } from 'imapflow'
import { people } from './person.ts'

const { newcomer } = people()

test('imapflow labels, searches, moves, drafts, renames and deletes, and is told of what the API does', async () => {
  await using ada = await newcomer('One', 'Two', 'Three', 'Four')
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

/** What each script begins and ends with. */
const within = (script: string) => `
import imaplib, ssl, sys
port, address, password, certificate = sys.argv[1:]
trusted = ssl.create_default_context(cafile=certificate)
m = imaplib.IMAP4('localhost', int(port))
m.starttls(trusted)
m.login(address, password)
${script}
m.logout()
`

test("Python's imaplib labels, searches, moves, drafts, renames and deletes", async () => {
  await using ada = await newcomer('One', 'Two', 'Three', 'Four')
  await ada.change('One', { unread: false, add_labels: ['work'] })
  const { port, address, password, certificate } = ada.account
  const script = within(`
m.select('INBOX')
print(m.uid('SEARCH', 'KEYWORD', 'work')[1][0].decode())
print(m.uid('SEARCH', 'CHARSET', 'UTF-8', 'SUBJECT', 'Three', 'UNSEEN')[1][0].decode())
print(m.uid('SEARCH', 'TEXT', '"About Two"')[1][0].decode())
m.uid('STORE', '1', '-FLAGS', '(work)')
m.uid('STORE', '2', '+FLAGS', '(Work \\\\Seen)')
m.uid('STORE', '4', '+FLAGS.SILENT', '(\\\\Deleted)')
m.expunge()
m.create('Projects/Apollo')
m.uid('COPY', '3', 'Projects/Apollo')
print(m.uid('MOVE', '2', 'Archive')[0])
m.append('Drafts', '\\\\Draft \\\\Seen', None, b'From: a@b.example\\r\\nSubject: Plan\\r\\n\\r\\nA draft\\r\\n')
m.rename('Projects/Apollo', 'Projects/Gemini')
print(m.status('Projects/Gemini', '(MESSAGES UNSEEN)')[1][0].decode())
`)
  const out = await ada.run('/usr/bin/python3', ['-c', script, String(port), address, password, certificate])
  assert.equal(out, '1\n3\n2\nOK\nProjects/Gemini (MESSAGES 1 UNSEEN 1)\n')
  assert.deepEqual(await ada.has(), { One: 'read', Three: '' })
  assert.deepEqual(await ada.has('archive'), { Two: 'read work' })
  assert.deepEqual(await ada.has('drafts'), { Plan: 'read' })
  assert.deepEqual(await ada.has('Projects/Gemini'), { Three: '' })
  assert.ok(!(await ada.folders()).includes('Projects/Apollo'))
})
