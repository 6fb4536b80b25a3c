import assert from 'node:assert/strict'
import { test } from 'node:test'
import { people } from './person.ts'

const { newcomer } = people()

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
  await using ada = await newcomer()
  await ada.receives('One', 'Two', 'Three', 'Four')
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
