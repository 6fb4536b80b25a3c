import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { Maildirs } from './maildir.ts'
import { people } from './person.ts'

const { newcomer } = people()

test('offlineimap has what the API keeps, labels as letters, and the API what is done to the copy', async () => {
  await using ada = await newcomer()
  await ada.receives('One', 'Two', 'Three', 'Four', 'Five')
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
