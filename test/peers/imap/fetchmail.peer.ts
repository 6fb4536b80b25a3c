import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { people } from './person.ts'

const { newcomer } = people()

test('fetchmail takes unread mail, by STARTTLS, and leaves it marked or deletes it', async () => {
  await using ada = await newcomer()
  await ada.receives('One', 'Two', 'Three')
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
