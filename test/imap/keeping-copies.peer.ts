import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { Maildirs } from './maildir.ts'
import { type Person, people } from './person.ts'

const { newcomer } = people()

async function copyOf(person: Person): Promise<{ copy: Maildirs; sync: () => Promise<string> }> {
  const { tlsPort, address, password, certificate } = person.account
  const copy = new Maildirs(join(person.home, 'mail'))
  await copy.make('')
  const rc = await person.file(
    'mbsyncrc',
    `
IMAPStore server
Host localhost
Port ${tlsPort}
User ${address}
Pass "${password}"
SSLType IMAPS
CertificateFile ${certificate}

MaildirStore here
Path ${person.home}/mail/
Inbox ${person.home}/mail/INBOX
SubFolders Verbatim

Channel all
Far :server:
Near :here:
Patterns *
Create Both
Remove Both
Expunge Both
SyncState *
`,
  )
  return { copy, sync: () => person.run('mbsync', ['-q', '-c', rc, '-a']) }
}

test('mbsync has what the API keeps, and the API what is done to the copy', async () => {
  await using ada = await newcomer('One', 'Two', 'Three', 'Four', 'Five')
  await ada.change('One', { unread: false, starred: true, add_labels: ['work'] })
  await ada.change('Two', { folder: 'archive' })
  const { copy, sync } = await copyOf(ada)
  await sync()
  assert.deepEqual(await copy.flags(), { Five: '', Four: '', One: 'FS', Three: '' })
  assert.deepEqual(await copy.flags('Archive'), { Two: '' })

  await copy.mark('Three', 'FRS')
  await copy.mark('Four', 'T')
  await copy.mark('Five', '', 'Archive')
  await copy.make('Projects')
  await copy.write('Six', 'Projects')
  await copy.write('Plan', 'Drafts', 'DS')
  await ada.change('One', { starred: false })
  await sync()
  assert.deepEqual(await ada.has(), { One: 'read work', Three: 'read starred' })
  assert.deepEqual(await ada.has('archive'), { Five: '', Two: '' })
  assert.deepEqual(await ada.has('Projects'), { Six: '' })
  assert.deepEqual(await ada.has('drafts'), { Plan: 'read' })
  assert.deepEqual(await copy.flags(), { One: 'S', Three: 'FRS' })
})

test('offlineimap has what the API keeps, labels as letters, and the API what is done to the copy', async () => {
  await using ada = await newcomer('One', 'Two', 'Three', 'Four', 'Five')
  await ada.change('One', { unread: false, add_labels: ['work'] })
  await ada.change('Two', { folder: 'archive' })
  const { tlsPort, address, password, certificate } = ada.account
  const rc = await ada.file(
    'offlineimaprc',
    `
[general]
accounts = ada
metadata = ${ada.home}/state
ui = basic
[Account ada]
localrepository = here
remoterepository = server
[Repository here]
type = Maildir
localfolders = ${ada.home}/mail
sync_deletes = yes
customflag_a = work
[Repository server]
type = IMAP
remotehost = localhost
remoteport = ${tlsPort}
remoteuser = ${address}
remotepass = ${password}
ssl = yes
sslcacertfile = ${certificate}
usecompression = yes
`,
  )
  const copy = new Maildirs(join(ada.home, 'mail'))
  const sync = () => ada.run('offlineimap', ['-o', '-c', rc])
  await sync()
  assert.deepEqual(await copy.flags(), { Five: '', Four: '', One: 'Sa', Three: '' })
  assert.deepEqual(await copy.flags('Archive'), { Two: '' })

  await copy.mark('Three', 'FS')
  await copy.remove('Four')
  await copy.mark('Five', '', 'Archive')
  await copy.make('Projects')
  await copy.write('Six', 'Projects')
  await copy.write('Plan', 'Drafts', 'DS')
  await ada.change('Two', { starred: true }, 'archive')
  await sync()
  assert.deepEqual(await ada.has(), { One: 'read work', Three: 'read starred' })
  assert.deepEqual(await ada.has('archive'), { Five: '', Two: 'starred' })
  assert.deepEqual(await ada.has('Projects'), { Six: '' })
  assert.deepEqual(await ada.has('drafts'), { Plan: 'read' })
  assert.deepEqual(await copy.flags('Archive'), { Five: '', Two: 'F' })
})

const server = ({ account: { tlsPort, address, password, certificate } }: Person) => `
type = imaps
host = localhost
port = ${tlsPort}
username = ${address}
password = ${password}
SSL_CAfile = ${certificate}
`

test('interimap keeps two mailboxes alike by QRESYNC', async () => {
  await using ada = await newcomer()
  await using bob = await newcomer()
  await ada.receives('One', 'Two', 'Three')
  await bob.receives('Four')
  await ada.change('One', { starred: true, add_labels: ['work'] })
  await ada.change('Two', { folder: 'archive' })
  const config = await ada.file(
    'config',
    `database = ${ada.home}/state.db\nlist-mailbox = *\n[local]${server(ada)}[remote]${server(bob)}`,
  )
  const sync = () => ada.run('interimap', [`--config=${config}`])
  await sync()
  for (const person of [ada, bob]) {
    assert.deepEqual(await person.has(), { Four: '', One: 'starred work', Three: '' })
    assert.deepEqual(await person.has('archive'), { Two: '' })
  }
  // What it has stored itself counts as changed the next time, and flags that have changed on both sides are joined.
  await sync()

  await ada.receives('Five')
  await ada.change('One', { unread: false, starred: false })
  await bob.change('Three', { folder: 'archive' })
  await bob.change('Four', { starred: true })
  await ada.api('DELETE', `/v1/messages?mailbox=${ada.address}&folder=archive`, { uids: [1] })
  await sync()
  for (const person of [ada, bob]) {
    assert.deepEqual(await person.has(), { Five: '', Four: 'starred', One: 'read work' })
    assert.deepEqual(await person.has('archive'), { Three: '' })
  }
})
