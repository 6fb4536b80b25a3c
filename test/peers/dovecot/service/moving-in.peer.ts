import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { DovecotServer } from '#test/peers/dovecot/imap-server.ts'

const run = promisify(execFile)
const page = join(import.meta.dirname, '../../../../docs/moving.md')

/** What Python's imaplib does with a mailbox of the server at that port. */
async function imap(port: number, user: string, script: string): Promise<string> {
  const login = `import imaplib\nm = imaplib.IMAP4('127.0.0.1', ${port})\nm.login('${user}', 'any')\n`
  return (await run('python3', ['-c', `${login}${script}\nm.logout()`])).stdout.trim()
}

const append = (folder: string, flags: string, subject: string) =>
  `m.create('${folder}'); m.append('${folder}', '${flags}', '"01-Feb-2024 10:00:00 +0000"', b'Subject: ${subject}\\r\\n\\r\\nHi')`
const list = `
for folder in ('INBOX', 'Sent', 'Projects'):
  m.select(folder, readonly=True)
  for uid in m.uid('search', None, 'ALL')[1][0].split():
    (data, text), _ = m.uid('fetch', uid, '(FLAGS INTERNALDATE BODY.PEEK[HEADER.FIELDS (SUBJECT)])')[1]
    print(folder, b'Seen' in data, b'01-Feb-2024 10:00:00 +0000' in data, text.decode().strip())
`

test('mail is copied from another server with the configuration of the documentation, and later what has come meanwhile', async () => {
  await using resources = new AsyncDisposableStack()
  const old = resources.use(await DovecotServer.start())
  const now = resources.use(await DovecotServer.start())
  const directory = await mkdtemp(join(tmpdir(), 'mailroom-moving-'))
  resources.defer(() => rm(directory, { recursive: true }))
  const [, indented = ''] = /```\n( +IMAPStore old\n[\s\S]*?)```/.exec(await readFile(page, 'utf8')) ?? []
  // What this test has no TLS for.
  const clear = (port: number) => `SSLType None\nAuthMechs PLAIN\nPort ${port}`
  const config = indented
    .replace(/^ +/gm, '')
    .replaceAll('/root/moving', directory)
    .replace(/^Host .*$/gm, 'Host 127.0.0.1')
    .replace('SSLType IMAPS', clear(old.server.port))
    .replace('SSLType IMAPS', clear(now.server.port))
  await writeFile(join(directory, 'mbsyncrc'), config)
  for (const name of ['ada.old', 'ada.new']) await writeFile(join(directory, name), 'any\n')
  const copy = () => run('mbsync', ['--config', join(directory, 'mbsyncrc'), 'ada'], { timeout: 60_000 })

  const first = [append('INBOX', '', 'New'), append('Sent', '\\\\Seen', 'Old'), append('Projects', '\\\\Seen', 'Plan')]
  await imap(old.server.port, 'ada@example.com', first.join('\n'))
  await copy()
  const copied = ['INBOX False True Subject: New', 'Sent True True Subject: Old', 'Projects True True Subject: Plan']
  assert.deepEqual((await imap(now.server.port, 'ada@example.com', list)).split('\n'), copied)

  await imap(old.server.port, 'ada@example.com', append('INBOX', '', 'Late'))
  await copy()
  const later = copied.toSpliced(1, 0, 'INBOX False True Subject: Late')
  assert.deepEqual((await imap(now.server.port, 'ada@example.com', list)).split('\n'), later)
})
