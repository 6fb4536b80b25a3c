import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Person, people } from './person.ts'

const { newcomer } = people()

/** A display that nobody sees. */
let display: { name: string; end: () => Promise<void> }
before(async () => {
  // It writes the number of a free one.
  const server = spawn('Xvfb', ['-displayfd', '1', '-nolisten', 'tcp'], { stdio: ['ignore', 'pipe', 'ignore'] })
  const [number] = await once(server.stdout, 'data')
  const end = async () => {
    server.kill()
    await once(server, 'exit')
  }
  display = { name: `:${String(number).trim()}`, end }
})
after(() => display.end())

test('Claws Mail marks, moves and deletes mail as it comes, and leaves labels', async () => {
  await using ada = await newcomer('One', 'Two', 'Three', 'Four')
  await ada.change('Two', { add_labels: ['work'] })
  const rules = [
    'subject matchcase "One" mark',
    'subject matchcase "Two" mark_as_read',
    'subject matchcase "Three" move "#imap/ada/Archive"',
    'subject matchcase "Four" delete',
  ]
  await prepareClawsMail(ada, rules)
  const env = { ...ada.env, DISPLAY: display.name, GDK_BACKEND: 'x11' }
  const program = spawn('claws-mail', ['--online', '--receive-all'], { env, cwd: ada.home, stdio: 'ignore' })
  const ended = once(program, 'exit')
  try {
    await ada.happens('One', 'Two', 'Three', 'Four')
  } finally {
    program.kill('SIGKILL')
    await ended
  }
  assert.deepEqual(await ada.has(), { One: 'starred', Two: 'read work' })
  assert.deepEqual(await ada.has('archive'), { Three: '' })
})

/** Settings of an account, and folders: Claws Mail asks for those of sending in a mailbox of its own. */
async function prepareClawsMail(person: Person, filters: readonly string[]): Promise<void> {
  const { address, password, tlsPort } = person.account
  await mkdir(join(person.home, '.claws-mail'))
  for (const folder of ['inbox', 'sent', 'queue', 'draft', 'trash'])
    await mkdir(join(person.home, 'Mail', folder), { recursive: true })
  const set = (name: string, text: string) => person.file(join('.claws-mail', name), text)
  await set(
    'accountrc',
    `[Account: 1]
account_name=ada
is_default=1
name=Ada
address=${address}
protocol=3
receive_server=localhost
smtp_server=localhost
user_id=${address}
password=${password}
inbox=#imap/ada/INBOX
receive_at_get_all=1
filter_on_receive=1
set_imapport=1
imap_port=${tlsPort}
ssl_imap=1
ssl_certs_auto_accept=1
imap_use_trash=1
`,
  )
  await set(
    'folderlist.xml',
    `<?xml version="1.0" encoding="UTF-8"?>
<folderlist>
  <folder type="mh" name="Mail" path="Mail">
    <folderitem type="inbox" name="inbox" path="inbox" mtime="0" />
    <folderitem type="outbox" name="sent" path="sent" mtime="0" />
    <folderitem type="queue" name="queue" path="queue" mtime="0" />
    <folderitem type="draft" name="draft" path="draft" mtime="0" />
    <folderitem type="trash" name="trash" path="trash" mtime="0" />
  </folder>
  <folder type="imap" name="ada" account_id="1">
    <folderitem type="inbox" name="INBOX" path="INBOX" mtime="0" />
    <folderitem type="normal" name="Archive" path="Archive" mtime="0" />
    <folderitem type="draft" name="Drafts" path="Drafts" mtime="0" />
    <folderitem type="trash" name="Trash" path="Trash" mtime="0" />
  </folder>
</folderlist>
`,
  )
  const rules = filters.map((rule) => `enabled rulename "" account 0 ${rule}\n`)
  await set('matcherrc', `[preglobal]\n\n[postglobal]\n\n[filtering]\n${rules.join('')}`)
  // Without a network that a desktop manages it would work offline.
  await set('clawsrc', '[Common]\nuse_networkmanager=0\nwork_offline=0\nautochk_newmail=0\nskip_ssl_cert_check=1\n')
}
