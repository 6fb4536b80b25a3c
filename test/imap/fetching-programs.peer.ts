import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { people } from './person.ts'

const { newcomer } = people()

test('fetchmail takes unread mail, by STARTTLS, and leaves it marked or deletes it', async () => {
  await using ada = await newcomer('One', 'Two', 'Three')
  await ada.change('One', { unread: false })
  const { port, address, password, certificate } = ada.account
  const fetched = join(ada.home, 'fetched')
  const fetch = async (...wanted: readonly string[]) => {
    const rc = await ada.file(
      'fetchmailrc',
      `
poll localhost service ${port} protocol imap
  user "${address}" password "${password}" mda "cat >> ${fetched}"
  sslproto tls1.2+ sslcertck sslcertfile "${certificate}" ${wanted.join(' ')}
`,
    )
    await ada.run('fetchmail', ['-f', rc, '--nosyslog'])
    return [...(await readFile(fetched, 'latin1')).matchAll(/^Subject: (.*)$/gm)].map(([, subject]) => subject)
  }
  assert.deepEqual(await fetch('keep'), ['Two', 'Three'])
  assert.deepEqual(await ada.has(), { One: 'read', Three: 'read', Two: 'read' })
  await ada.receives('Four')
  assert.deepEqual(await fetch('nokeep'), ['Two', 'Three', 'Four'])
  assert.deepEqual(await ada.has(), { One: 'read', Three: 'read', Two: 'read' })
  await fetch('fetchall', 'folder INBOX')
  assert.deepEqual(await ada.has(), {})
})

test('getmail fetches what it has not fetched before, and moves it to the archive', async () => {
  await using ada = await newcomer('One', 'Two')
  await ada.change('One', { unread: false, add_labels: ['work'] })
  const { tlsPort, address, password, certificate } = ada.account
  const fetched = join(ada.home, 'fetched')
  const rc = (more: string) => `
[retriever]
type = SimpleIMAPSSLRetriever
server = localhost
port = ${tlsPort}
username = ${address}
password = ${password}
ca_certs = ${certificate}
mailboxes = ("INBOX",)
${more}
[destination]
type = MDA_external
path = /bin/sh
arguments = ("-c", "cat >> ${fetched}")
allow_root_commands = true
[options]
read_all = false
delete = ${more !== ''}
`
  const fetch = async (more = '') => {
    await ada.file('getmailrc', rc(more))
    await ada.run('getmail', ['-g', ada.home])
    return [...(await readFile(fetched, 'latin1')).matchAll(/^Subject: (.*?)\r?$/gm)].map(([, subject]) => subject)
  }
  assert.deepEqual(await fetch(), ['One', 'Two'])
  await ada.receives('Three')
  assert.deepEqual(await fetch(), ['One', 'Two', 'Three'])
  assert.deepEqual(await ada.has(), { One: 'read work', Three: '', Two: '' })

  await ada.receives('Four')
  assert.deepEqual(await fetch('move_on_delete = Archive'), ['One', 'Two', 'Three', 'Four'])
  assert.deepEqual(await ada.has(), {})
  assert.deepEqual(Object.keys(await ada.has('archive')), ['Four', 'One', 'Three', 'Two'])
})

test('imapfilter searches, labels, moves, copies, deletes, and makes and renames folders', async () => {
  await using ada = await newcomer('One', 'Two', 'Three', 'Four', 'Five')
  await ada.change('One', { unread: false, add_labels: ['work'] })
  await ada.change('Five', { starred: true })
  const { tlsPort, address, password, certificate } = ada.account
  const config = await ada.file(
    'config.lua',
    `
options.info = false
options.subscribe = true
options.expunge = true
ada = IMAP { server = 'localhost', port = ${tlsPort}, username = '${address}', password = '${password}', ssl = 'auto' }
print(#ada.INBOX:select_all(), #ada.INBOX:is_unseen(), #ada.INBOX:has_keyword('work'), #ada.INBOX:is_flagged())
print(#ada.INBOX:contain_subject('TWO'), #ada.INBOX:contain_body('About Three'), #ada.INBOX:is_larger(100000))
print(#(ada.INBOX:contain_from('ann@peer') * ada.INBOX:is_newer(2) - ada.INBOX:is_seen()))
ada.INBOX:contain_subject('Two'):add_flags({ 'Work', '\\\\Seen' })
ada.INBOX:contain_subject('One'):remove_flags({ 'work' })
ada:create_mailbox('Projects/Apollo')
ada.INBOX:contain_subject('Three'):move_messages(ada['Projects/Apollo'])
ada.INBOX:contain_subject('Five'):copy_messages(ada['Archive'])
ada.INBOX:contain_subject('Four'):delete_messages()
ada:rename_mailbox('Projects/Apollo', 'Projects/Gemini')
ada:create_mailbox('Passing')
ada:delete_mailbox('Passing')
local mailboxes, folders = ada:list_all('Projects')
print(table.concat(mailboxes, ' '))
print(ada['Projects/Gemini']:check_status())
for _, message in ipairs(ada['Projects/Gemini']:select_all()) do
  mailbox, uid = table.unpack(message)
  print(mailbox[uid]:fetch_field('subject'), #mailbox[uid]:fetch_body())
end
`,
  )
  const out = await ada.run('imapfilter', ['-c', config, '-t', certificate])
  assert.equal(
    out,
    `5\t4\t1\t1
1\t1\t0
4
Projects/Gemini
1\t0\t1\t2
Subject: Three\t13
`,
  )
  assert.deepEqual(await ada.has(), { Five: 'starred', One: 'read', Two: 'read work' })
  assert.deepEqual(await ada.has('archive'), { Five: 'starred' })
  assert.deepEqual(await ada.has('Projects/Gemini'), { Three: '' })
  assert.ok(!(await ada.folders()).some((name) => ['Passing', 'Projects/Apollo'].includes(name)))
})
