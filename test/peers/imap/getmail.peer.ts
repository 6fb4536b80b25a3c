import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { people } from './person.ts'

const { newcomer } = people()

test('getmail fetches what it has not fetched before, and moves it to the archive', async () => {
  await using ada = await newcomer()
  await ada.receives('One', 'Two')
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
