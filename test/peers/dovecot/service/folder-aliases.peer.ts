import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appendMessages } from '#/adapters/mail-host/imap/changing/append.ts'
import { ImapSession } from '#/adapters/mail-host/imap/client/session.ts'
import { letter, messagesIn, subjectsIn } from '#test/mail/letter.ts'
import { DovecotServer } from '#test/peers/dovecot/imap-server.ts'
import { World } from '#test/world/world.ts'

/** Folders that a mail program has created, by their paths in modified UTF-7. */
const foreign = ['Spam', 'ARCHIVE', '100%', 'a*', 'Cafe&AwE-', 'Pay&IC4-roll', 'Spam/2026']

test('each listed folder of a mail program is read, changed and emptied by its listed name, and no other is', async () => {
  await using dovecot = await DovecotServer.start()
  await using world = await World.start({ env: { MAILROOM_IMAP_URL: dovecot.url } })
  const organization = await world.organization()
  const { id, address } = await organization.mailbox('ada')
  const ask = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) =>
    organization.request(method, path, body)
  const folders = async (): Promise<{ name: string; total: number }[]> =>
    (await ask('GET', `/v1/folders?mailbox=${address}`)).body.data
  assert.equal((await folders()).length, 6)

  const program = await ImapSession.open(dovecot.server, id)
  for (const path of [...foreign, 'Junk', 'Archive']) {
    const rest = { messageId: null, receivedAt: new Date(0), seen: false, flagged: false, keywords: [], filteredBy: [] }
    if (foreign.includes(path)) await program.connection.run([`CREATE "${path}"`])
    await appendMessages(program, path, [{ ...rest, raw: Buffer.from(letter({ Subject: `In ${path}` })) }])
  }
  program.connection.close()

  const listed = (await folders()).filter(({ total }) => total > 0)
  assert.deepEqual(
    listed.map(({ total }) => total),
    Array(9).fill(1),
  )
  const subjects: string[] = []
  for (const { name } of listed) subjects.push(...(await subjectsIn(organization, address, name)))
  assert.deepEqual(subjects.sort(), [...foreign, 'Junk', 'Archive'].map((path) => `In ${path}`).sort())

  const named = async (path: string) => {
    for (const { name } of await folders())
      if ((await subjectsIn(organization, address, name)).includes(`In ${path}`)) return name
    return ''
  }
  const [spam, percent, wild] = [await named('Spam'), await named('100%'), await named('a*')]
  const erase = (folder: string) =>
    ask('DELETE', `/v1/messages?${new URLSearchParams({ mailbox: address, folder })}`, { uids: [1] })
  assert.deepEqual((await erase(spam)).body.deleted, [1])
  assert.deepEqual(await subjectsIn(organization, address, 'junk'), ['In Junk'])
  assert.deepEqual(await subjectsIn(organization, address, spam), [])

  const within = await ask('DELETE', `/v1/folders/${encodeURIComponent(spam)}?mailbox=${address}`)
  assert.deepEqual([within.status, within.body.error.field], [400, 'path'])
  const renamed = await ask('PATCH', `/v1/folders/${encodeURIComponent(percent)}?mailbox=${address}`, { name: 'Whole' })
  assert.equal(renamed.status, 200)
  assert.deepEqual(await subjectsIn(organization, address, 'Whole'), ['In 100%'])
  const moved = await ask('PATCH', `/v1/messages/1?mailbox=${address}&folder=Whole`, { folder: wild })
  assert.deepEqual([moved.status, moved.body.folder], [200, wild])
  assert.deepEqual((await subjectsIn(organization, address, wild)).sort(), ['In 100%', 'In a*'])
  const gone = await ask('DELETE', `/v1/folders/${encodeURIComponent(wild)}?mailbox=${address}&move_to=archive`)
  assert.deepEqual([gone.status, gone.body.moved], [200, 2])
  assert.equal((await messagesIn(organization, address, 'archive')).length, 3)

  const unknown = 'Spam ~0123456789ab'
  assert.equal((await ask('GET', `/v1/messages?mailbox=${address}&folder=${encodeURIComponent(unknown)}`)).status, 400)
  assert.equal((await ask('POST', `/v1/folders?mailbox=${address}`, { name: unknown })).status, 400)
})
