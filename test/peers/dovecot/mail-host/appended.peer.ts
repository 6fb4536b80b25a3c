import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ImapSession } from '#/adapters/mail-host/imap/client/session.ts'
import { encodeUtf7 } from '#/mime/modified-utf7.ts'
import { DovecotServer } from '#test/peers/dovecot/imap-server.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'

let dovecot: DovecotServer
let world: World
let organization: TestOrganization
before(async () => {
  dovecot = await DovecotServer.start()
  world = await World.start({ env: { MAILROOM_IMAP_URL: dovecot.url } })
  organization = await world.organization()
})
after(async () => {
  await world[Symbol.asyncDispose]()
  await dovecot[Symbol.asyncDispose]()
})

const mail = 'From: ann@peer.example\r\nSubject: Hi\r\nMessage-ID: <1@x>\r\n\r\nHello\r\n'
const said = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64')
const field = (text: string) => `X-Mailroom-Filtered-By: ${text}\r\n`
const filter_id = '0199f0a2-0000-7000-8000-000000000001'
const usual = { filter_id, name: 'n', action: 'star', argument: null }

/** Octets that a mail program may store in a mailbox and that arriving mail never has. */
const appended: readonly [string, string, string?][] = [
  ['a mail', mail],
  ['nothing but a line', '\r\n'],
  ['a header without an end', 'Subject: x'],
  ['a field of ours that is an object', field(said({})) + mail],
  ['a field of ours that is null', field(said(null)) + mail],
  ['a field of ours that is a number', field(said(5)) + mail],
  ['a field of ours with nothing in it', field(said([null, undefined, [], {}])) + mail],
  ['a field of ours that lacks most', field(said([{ name: 'n' }])) + mail],
  ['a field of ours with other types', field(said([{ ...usual, name: [], action: {}, argument: 5 }])) + mail],
  ['a field of ours with an id that is none', field(said([{ ...usual, filter_id: "'; drop" }])) + mail],
  ['a field of ours with a NUL and half a surrogate', field(said([{ ...usual, name: '\0\ud800' }])) + mail],
  [
    'a field of ours with more than there is',
    field(said([{ ...usual, __proto__: 1, personal: 'x', more: {} }])) + mail,
  ],
  ['a field of ours that is no base64', field('%%%') + mail],
  ['a field of ours that is empty', field('') + mail],
  ['a field of ours and nothing else', field(said([usual]))],
  ['a field of ours before an empty line', `${field(said([usual]))}\r\n`],
  ['a field of ours, folded without an end', `${field(said([usual]))} `.repeat(50)],
  ['a field of ours that is long', field(said(Array(3_000).fill(usual))) + mail],
  ['a field of ours twice', field(said([usual])) + field(said({})) + mail],
  ['a date of the year 1', mail, '01-Jan-0001 00:00:00 +0000'],
  ['a date before the year 1', mail, '01-Jan-0001 00:00:00 +2359'],
  ['a date of the year 9999', mail, '31-Dec-9999 23:59:59 -2359'],
  ['a date that no calendar has', mail, '31-Feb-2026 25:61:61 +9999'],
  ['fields that stand many times', 'From: a@b\r\nReferences: <1@x>\r\nMessage-ID: <2@x>\r\n'.repeat(300) + mail],
  ['a thousand hops', 'Received: x\r\n'.repeat(1_000) + mail],
  ['an author with every address', `From: ${'a@b.example, '.repeat(5_000)}c@d\r\n\r\n`],
  [
    'octets that are no text',
    'From: \xff\xfe\r\nSubject: =?utf-8?b?/v8=?= \xed\xa0\x80\r\nMessage-ID: <\xff@x>\r\n\r\n\xff\xfe',
  ],
  [
    'parts within parts',
    `Content-Type: multipart/mixed; boundary=a\r\n\r\n${'--a\r\nContent-Type: message/rfc822\r\n\r\n'.repeat(300)}`,
  ],
  [
    'a part with a name of anything',
    `Content-Type: x/y; name="../../\x01\xff"\r\nContent-Disposition: x; filename*=x'y'%00%ff\r\n\r\nx`,
  ],
]

test('whatever is appended to a mailbox, every way to read it is answered', async () => {
  const { id, address } = await organization.mailbox('ada')
  await organization.request('GET', `/v1/folders?mailbox=${address}`)
  const { connection } = await ImapSession.open(dovecot.server, id)
  const there: string[] = []
  for (const [what, text, date] of appended) {
    const at = date === undefined ? '' : ` "${date}"`
    const flags = ' (\\Seen a b$c [y] \\Draft \\Deleted)'
    for (const command of [`APPEND INBOX${flags}${at} `, `APPEND INBOX${at} `]) {
      const taken = await connection.run([command, Buffer.from(text, 'latin1')]).then(
        () => true,
        () => false,
      )
      if (!taken) continue
      there.push(what)
      break
    }
  }
  assert.ok(there.length > appended.length - 3, String(there.length))
  await connection.run(['SELECT INBOX'])
  await connection.run(['UID STORE 1:* +FLAGS ($Forwarded NonJunk &- a%b x)']).catch(() => {})
  connection.close()

  const ask = async (path: string, what: string) => {
    const answer = await organization.request('GET', path)
    assert.ok([200, 404].includes(answer.status), `${what}: ${path} is ${answer.status}`)
    return answer
  }
  const query = `mailbox=${address}&limit=100`
  const { total, data } = (await ask(`/v1/messages?${query}`, 'the list')).body
  assert.deepEqual([total, data.length], [there.length, there.length])
  for (const { id: thread } of (await ask(`/v1/threads?${query}`, 'the conversations')).body.data) {
    await ask(`/v1/threads/${thread}?mailbox=${address}`, 'a conversation')
  }
  for (const [index, what] of there.entries()) {
    const path = `/v1/messages/${index + 1}`
    const { body } = await ask(`${path}?mailbox=${address}`, what)
    assert.ok(Array.isArray(body.filtered_by), what)
    await ask(`${path}/raw?mailbox=${address}`, what)
    for (const { id: part } of body.attachments.slice(0, 3)) {
      await ask(`${path}/attachments/${part}?mailbox=${address}`, what)
    }
  }
  const change = { uids: there.map((_, index) => index + 1), unread: true, folder: 'Later' }
  assert.equal((await organization.request('PATCH', `/v1/messages?mailbox=${address}`, change)).status, 200)
})

test('whatever folders another program makes, they are listed, and each that has a name here is read', async () => {
  const { id, address } = await organization.mailbox('bob')
  await organization.request('GET', `/v1/folders?mailbox=${address}`)
  const { connection } = await ImapSession.open(dovecot.server, id)
  const names = ['inbox/x', 'SENT', 'sent', 'a"b', 'a\\b', 'a*b', 'a%b', ' x ', 'a&b', '\u202e', 'x'.repeat(255), '#x']
  for (const name of names) await connection.run([`CREATE ${JSON.stringify(encodeUtf7(name))}`]).catch(() => {})
  connection.close()
  const { status, body } = await organization.request('GET', `/v1/folders?mailbox=${address}`)
  assert.equal(status, 200)
  const listed: string[] = body.data.map(({ name }: { name: string }) => name)
  for (const name of ['a"b', 'a\\b', 'a&b', '#x']) assert.ok(listed.includes(name), name)
  for (const name of listed) {
    for (const what of ['messages', 'threads']) {
      const path = `/v1/${what}?mailbox=${address}&folder=${encodeURIComponent(name)}`
      assert.ok([200, 400].includes((await organization.request('GET', path)).status), name)
    }
  }
})
