import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendingWorld } from '#test/world/sending-world.ts'

const { world, organization, ada, request, sentMail } = await sendingWorld({ name: 'Ada Lovelace' })

interface Arrived {
  readonly uid: number
  readonly message_id: string
}

/** A message that has arrived in Ada's inbox. */
async function arrived(fields: object): Promise<Arrived> {
  const message = { from: 'Ann <ann@books.example>', to: ada, subject: 'Your order', text: 'Dear Ada\n\nTwo books.\n' }
  await world.send({ ...message, envelope: { from: 'ann@books.example', to: ada }, ...fields })
  const { body } = await request('GET', `/v1/messages?mailbox=${ada}&limit=1`)
  return body.data[0]
}

const reply = ({ uid }: Arrived, body: object, options = {}) =>
  request('POST', `/v1/messages/${uid}/reply?mailbox=${ada}`, body, options)

/** What has left, in the order of the queue. */
const taken = async () => (await sentMail()).map(({ to, bytes }) => ({ to: to.toSorted(), wire: bytes.toString() }))

const field = (wire: string, name: string) =>
  new RegExp(`^${name}: ((?:.*\\r\\n[ \\t])*.*)\\r$`, 'im').exec(wire)?.[1]?.replace(/\s+/g, ' ')

test('a reply goes to the author, under the subject and ids of its conversation', async () => {
  const asked = await arrived({ references: ['<0@books.example>'], messageId: '<1@books.example>' })
  const { status, body } = await reply(asked, { text: 'Thank you', quote: true })
  assert.deepEqual([status, body.status], [202, 'queued'])
  const [sent, ...more] = await taken()
  assert.deepEqual([sent?.to, more], [['ann@books.example'], []])
  const wire = sent?.wire ?? ''
  assert.equal(field(wire, 'From'), `Ada Lovelace <${ada}>`)
  assert.equal(field(wire, 'Subject'), 'Re: Your order')
  assert.equal(field(wire, 'In-Reply-To'), '<1@books.example>')
  assert.equal(field(wire, 'References'), '<0@books.example> <1@books.example>')
  assert.match(
    wire,
    /\n\r\nThank you\r\n\r\nOn .*, Ann <ann@books\.example>\s+wrote:\s+> Dear Ada\r\n>\r\n> Two books\./,
  )
  const { body: threads } = await request('GET', `/v1/messages?mailbox=${ada}&folder=sent&limit=1`)
  assert.equal(threads.data[0].message_id, body.message_id)
})

test('a reply to all leaves out the mailbox, its aliases, and whom one names', async () => {
  const to = [ada, 'bo@there.example', 'cy@there.example']
  const asked = await arrived({ from: 'ann@books.example', to, cc: ['Ann <ann@books.example>', 'di@there.example'] })
  await reply(asked, { html: '<p>Thanks', all: true, leave_out: 'CY@there.example', quote: true })
  const [sent] = await taken()
  assert.deepEqual(sent?.to, ['ann@books.example', 'bo@there.example', 'di@there.example'])
  assert.equal(field(sent?.wire ?? '', 'Cc'), 'di@there.example')
  assert.match(sent?.wire ?? '', /<blockquote/)
})

test('a reply is sent from the alias that was written to', async () => {
  const mailbox = await organization.mailbox('bea')
  const alias = `info@${organization.domain}`
  const add = { organization_id: organization.id, mailbox_id: mailbox.id, address: alias, alias: true }
  await world.db.insertInto('addresses').values(add).execute()
  const envelope = { from: 'ann@books.example', to: alias }
  await world.send({ from: 'ann@books.example', to: alias, subject: 'x', text: 'x', envelope })
  const { body } = await request('POST', `/v1/messages/1/reply?mailbox=${mailbox.address}`, { text: 'Yes' })
  assert.equal(body.status, 'queued')
  const [sent] = await taken()
  assert.equal(field(sent?.wire ?? '', 'From'), alias)
})

test('who cannot be answered is said, and nothing is sent', async () => {
  const asked = await arrived({})
  const without = await reply(asked, {})
  assert.deepEqual([without.status, without.body.error.field], [400, 'text'])
  const empty = await reply(asked, { text: 'x', leave_out: 'ann@books.example' })
  assert.deepEqual([empty.status, empty.body.error.field], [400, 'uid'])
  assert.equal((await reply({ ...asked, uid: 99_999 }, { text: 'x' })).status, 404)
  const key = await organization.restrictedKey({ recipients: ['@elsewhere.example'] })
  const restricted = await reply(await arrived({}), { text: 'x' }, { key })
  assert.deepEqual([restricted.status, restricted.body.error.field], [400, 'uid'])
  assert.deepEqual(await taken(), [])
})

test('an author to whom nothing is sent any more is the fault of the message', async () => {
  const gone = 'gone@books.example'
  const complained = { cause: 'complained', bounces: 1, bounced_at: new Date(), suppressed_at: new Date() } as const
  const row = { organization_id: organization.id, address: gone, mailbox_id: null, ...complained }
  await world.db.insertInto('suppressions').values(row).execute()
  const { status, body } = await reply(await arrived({ from: gone }), { text: 'Thank you' })
  assert.deepEqual([status, body.error.field], [400, 'uid'])
  assert.match(body.error.message, /^Nothing is sent to this address/)
  assert.deepEqual(await taken(), [])
})

async function draft(original: object, fields: object = {}, options = {}) {
  return await request('POST', '/v1/drafts', { mailbox: ada, original, ...fields }, options)
}

test('the draft of an answer is made of the message', async () => {
  const attachments = [{ filename: 'a.txt', content: 'Hi' }]
  const { uid } = await arrived({ messageId: '<2@books.example>', to: [ada, 'bo@there.example'], attachments })
  const { status, body } = await draft({ uid, mode: 'reply_all' })
  assert.equal(status, 201)
  assert.partialDeepStrictEqual(body, {
    from: `Ada Lovelace <${ada}>`,
    to: ['Ann <ann@books.example>', 'bo@there.example'],
    cc: [],
    subject: 'Re: Your order',
    in_reply_to: ['<2@books.example>'],
    references: ['<2@books.example>'],
    attachments: [],
  })
  assert.match(body.text, /^\n\nOn .* wrote:\n> Dear Ada\n>\n> Two books\.$/m)
  const own = await draft({ uid, mode: 'reply', quote: false }, { subject: 'My own', text: 'Mine', to: [] })
  assert.deepEqual([own.body.subject, own.body.text, own.body.to], ['My own', 'Mine', []])
})

const quotation = '\\n\\nOn .* wrote:\\n> Dear Ada\\n>\\n> Two books\\.\\n?$'
const inHtml = '<br><div>On .* wrote:</div><blockquote type="cite">Dear Ada<br>\\n<br>\\nTwo books\\.</blockquote>$'
const forwarded =
  '\\n\\n-+ Forwarded message -+\\nFrom: Ann <ann@books\\.example>\\n[\\s\\S]*\\n\\nDear Ada\\n\\nTwo books\\.\\n?$'
const forwardedInHtml =
  '<br><div>-+ Forwarded message -+<br>\\nFrom: Ann &lt;ann@books\\.example&gt;<br>[\\s\\S]*Two books\\.'
const both = { text: 'Mine', html: '<b>Mine</b>' }
for (const [what, original, fields, text, html] of [
  ['answers has the quotation behind both texts', { mode: 'reply', quote: true }, both, quotation, inHtml],
  ['answers has none behind a text, if none is asked for', { mode: 'reply' }, { text: 'Mine' }, '$', null],
  ['forwards has the message behind both', { mode: 'forward', quote: true }, both, forwarded, forwardedInHtml],
] as const)
  test(`a draft that ${what}`, async () => {
    const { uid } = await arrived({})
    const { body } = await draft({ uid, ...original }, fields)
    assert.match(body.text, new RegExp(`^Mine${text}`))
    if (html === null) assert.equal(body.html, null)
    else assert.match(body.html, new RegExp(`^<b>Mine</b>${html}`))
  })

test('the draft that forwards a message has its text and its attachments', async () => {
  const attachments = [{ filename: 'ä.txt', content: 'Hi' }]
  const { uid } = await arrived({ html: '<p>Dear <b>Ada</b>', text: undefined, attachments })
  const { body } = await draft({ uid, mode: 'forward' })
  assert.deepEqual([body.to, body.subject, body.in_reply_to, body.references], [[], 'Fwd: Your order', [], []])
  assert.match(
    body.text,
    /^\n\n-+ Forwarded message -+\nFrom: Ann <ann@books\.example>\nDate: .* UTC\nSubject: Your order\nTo: .*\n\nDear Ada\n$/,
  )
  assert.partialDeepStrictEqual(body.attachments, [{ filename: 'ä.txt', size_bytes: 2, inline: false }])
  await request('PATCH', `/v1/drafts/${body.id}`, { to: 'eve@there.example' })
  assert.equal((await request('POST', `/v1/drafts/${body.id}/send`, {})).status, 202)
  const [sent] = await taken()
  assert.match(sent?.wire ?? '', /SGk=/)
  const without = await draft({ uid, mode: 'forward' }, { attachments: [] })
  assert.deepEqual(without.body.attachments, [])
})

test('a message with too much attached is forwarded without', async () => {
  const attachments = Array.from({ length: 11 }, (_, at) => ({ filename: `${at}.txt`, content: 'Hi' }))
  const { uid } = await arrived({ attachments })
  const refused = await draft({ uid, mode: 'forward' })
  assert.deepEqual([refused.status, refused.body.error.field], [400, 'original'])
  assert.equal((await draft({ uid, mode: 'forward' }, { attachments: [] })).status, 201)
})

test('who may not read messages makes no draft of one', async () => {
  const { uid } = await arrived({})
  const key = await organization.newKey('sending:draft')
  assert.equal((await draft({ uid, mode: 'reply' }, {}, { key })).status, 403)
  const reader = await organization.newKey('sending:draft', 'messages:read')
  assert.equal((await draft({ uid, mode: 'reply' }, {}, { key: reader })).status, 201)
  assert.equal((await draft({ uid: 99_999, mode: 'reply' })).status, 404)
})
