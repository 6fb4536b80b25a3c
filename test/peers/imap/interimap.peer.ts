import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Person, people } from './person.ts'

const { newcomer } = people()

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
  const sync = () => ada.run('interimap', [`--config=${config}`, ...(process.env.V ? ['--debug'] : [])])
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
