// On both databases: several edit, read and send one draft at once.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import { readMessage } from '#/formats/mime/read-message.ts'
import { readSummaries } from '#/mail/store/read.ts'
import { draftNamed } from '#/out/drafts/identity.ts'
import { removeSentDrafts } from '#/out/drafts/sending/remove-sent.ts'
import { noteSent } from '#/out/drafts/sending/sent.ts'
import { now, readEvents } from '#test/events/furnished.ts'
import { each } from '#test/world/each.ts'
import { privateMailbox } from '#test/world/mail/private-mailbox.ts'
import { sendingWorld } from '#test/world/sending-world.ts'

const { world, organization, ada, adaId, request, sentMail } = await sendingWorld({ name: 'Ada Lovelace' })

const newDraft = (fields: object = {}) => organization.bodyOf(201, 'POST', '/v1/drafts', { mailbox: ada, ...fields })

async function listed(): Promise<{ id: string; subject: string; uid: number; version: number; to: string[] }[]> {
  return (await organization.bodyOf(200, 'GET', `/v1/drafts?mailbox=${ada}`)).data
}

/** Puts a message into the folder, as another mail program does. */
async function byAnotherProgram(text: string): Promise<void> {
  const mailbox = { organizationId: organization.id, mailboxId: adaId }
  const message = readMessage(Buffer.from(text.replaceAll('\n', '\r\n')))
  const flags = { seen: true, flagged: false, keywords: [], filteredBy: [] }
  const copy = { mailbox, folder: 'drafts', message, receivedAt: new Date(), ...flags }
  await world.store([copy])
}

test('a draft whose answer a crash lost is made once, so that it does not stand when the known one is deleted', async () => {
  const options = { headers: { 'Idempotency-Key': randomUUID() } }
  const make = async (subject = 'Once') => {
    const { status, body } = await request('POST', '/v1/drafts', { mailbox: ada, subject, text: 'Hello' }, options)
    assert.equal(status, 201)
    return body
  }
  const loseAnswers = () => sql`delete from idempotency_keys`.execute(world.db)
  const standing = async () => (await listed()).filter(({ subject }) => subject === 'Once').map(({ id }) => id)
  const first = await make()
  await loseAnswers()
  assert.deepEqual(await make(), first)
  assert.deepEqual(await standing(), [first.id])
  await loseAnswers()
  assert.notEqual((await make('Other')).id, first.id)
  await loseAnswers()
  await sql`
    update mail_messages set received_at = received_at - interval '25 hours'
    where uid = ${first.version} and folder_id in (
      select id from mail_folders where mailbox_id = ${adaId} and name = 'drafts'
    )`.execute(world.db)
  const later = await make()
  assert.deepEqual((await standing()).toSorted(), [first.id, later.id].toSorted())
  for (const { id } of [first, later]) assert.equal((await request('DELETE', `/v1/drafts/${id}`)).status, 200)
  assert.deepEqual(await standing(), [])
})

test('a draft keeps what was typed, and is a message in its folder', async () => {
  const typed = {
    to: ['Ann <ann@there.example>', 'bo', 'Cy, the "third" <cy@', 'd@there.example, e@there.example', 'Jürgen'],
    bcc: ['"Eve, of old" <eve@there.example>'],
    ...{ subject: 'Grüße, unfinished', text: 'Dear Ann,\n\n  and so on  \n-- \nAda\n', html: '<p>Dear Ann,' },
    references: ['<0@there.example>', '<1@there.example>'],
  }
  const one = { cc: 'kätzchen@there.example', reply_to: 'sales@there.example', in_reply_to: '<1@there.example>' }
  const files = { attachments: [{ filename: 'ä.txt', content: 'SGk=' }] }
  const { status, body, headers } = await request('POST', '/v1/drafts', { mailbox: ada, ...typed, ...one, ...files })
  assert.equal(status, 201)
  const shown = await request('GET', headers.get('location') ?? '')
  assert.deepEqual({ ...shown.body, updated_at: body.updated_at }, body)
  const { id, message: named, uid, version, updated_at: _, attachments, ...rest } = body
  assert.deepEqual([id.length, version], [43, uid])
  const lists = Object.fromEntries(Object.entries(one).map(([name, value]) => [name, [value]]))
  assert.deepEqual(rest, { mailbox: ada, headers: {}, from: `Ada Lovelace <${ada}>`, ...typed, ...lists })
  assert.equal(attachments.length, 1)
  const file = { index: 0, filename: 'ä.txt', content_type: 'text/plain', size_bytes: 2 }
  assert.partialDeepStrictEqual(attachments[0], file)
  const path = `/v1/messages/${named}/attachments/${attachments[0].id}`
  assert.equal((await request('GET', path)).bytes.toString(), 'Hi')
  const message = await request('GET', `/v1/messages/${uid}?mailbox=${ada}&folder=drafts`)
  assert.deepEqual([message.body.subject, message.body.unread], [typed.subject, false])
  assert.equal((await listed()).find((one) => one.id === id)?.subject, typed.subject)
})

test('an edit replaces what it gives, and keeps the id and the rest', async () => {
  const attachments = [{ filename: 'a.txt', content: 'SGk=' }]
  const draft = await newDraft({ to: 'ann@', subject: 'One', text: 'A', attachments })
  const { body } = await request('PATCH', `/v1/drafts/${draft.id}`, { subject: 'Two', html: '<b>B' })
  const kept = { id: draft.id, to: ['ann@'], subject: 'Two', text: 'A', html: '<b>B', attachments: [{ index: 0 }] }
  assert.partialDeepStrictEqual(body, kept)
  assert.ok(body.version > draft.version)
  const plain = await request('PATCH', `/v1/drafts/${draft.id}`, { html: null, to: [], attachments: [] })
  assert.deepEqual([plain.body.text, plain.body.html, plain.body.to, plain.body.attachments], ['A', null, [], []])
  const versions = (await listed()).flatMap(({ id, version }) => (id === draft.id ? version : []))
  assert.deepEqual(versions, [plain.body.version])
})

test('a caller with another version changes nothing, and gets a conflict', async () => {
  const draft = await newDraft({ text: 'One' })
  const path = `/v1/drafts/${draft.id}`
  const edited = await request('PATCH', path, { text: 'Two', version: draft.version })
  assert.equal(edited.status, 200)
  for (const [method, where, body] of [
    ['PATCH', path, { text: 'Three', version: draft.version }],
    ['DELETE', `${path}?version=${draft.version}`, undefined],
    ['POST', `${path}/attachments`, { filename: 'a', content: '', version: draft.version }],
    ['DELETE', `${path}/attachments/0?version=${draft.version}`, undefined],
    ['POST', `${path}/send`, { version: draft.version }],
  ] as const) {
    const { status, body: refused } = await request(method, where, body)
    assert.deepEqual([method, status, refused.error.code, refused.error.field], [method, 409, 'conflict', 'version'])
  }
  assert.equal((await request('GET', path)).body.text, 'Two')
})

test('of edits at once that know the version one is kept, of others the last', async () => {
  const draft = await newDraft({ text: 'One' })
  const path = `/v1/drafts/${draft.id}`
  const edit = (text: string) => request('PATCH', path, { text, version: draft.version })
  const knowing = await Promise.all(['A', 'B', 'C'].map(edit))
  assert.deepEqual(knowing.map(({ status }) => status).sort(), [200, 409, 409])
  const { body } = await request('GET', path)
  assert.equal(body.text, knowing.find(({ status }) => status === 200)?.body.text)
  const changes = [{ subject: 'S' }, { text: 'T' }]
  await Promise.all(changes.map((change) => organization.bodyOf(200, 'PATCH', path, change)))
  const last = (await request('GET', path)).body
  assert.deepEqual([last.subject, last.text], ['S', 'T'])
})

test('files come to a draft and go from it one by one', async () => {
  const draft = await newDraft({ html: '<img src="cid:logo">' })
  const path = `/v1/drafts/${draft.id}/attachments`
  const logo = { filename: 'logo.png', content: 'SGk=', content_id: 'logo' }
  assert.equal((await request('POST', path, logo)).status, 201)
  const { body } = await request('POST', path, { filename: 'b.txt', content: 'SGkh' })
  assert.deepEqual(each(body.attachments, 'filename', 'inline', 'content_id'), [
    ['logo.png', true, 'logo'],
    ['b.txt', false, null],
  ])
  const twice = await request('POST', path, logo)
  assert.deepEqual([twice.status, twice.body.error.field], [400, 'content'])
  const left = await request('DELETE', `${path}/0`)
  assert.deepEqual([left.status, left.body.attachments.length, left.body.attachments[0].filename], [200, 1, 'b.txt'])
  assert.equal((await request('DELETE', `${path}/1`)).status, 404)
  assert.equal((await request('DELETE', `${path}/x`)).status, 404)
})

test('a draft of another program is listed, and keeps its id when it is edited here', async () => {
  const subject = `Theirs ${randomUUID()}`
  await byAnotherProgram(
    `From: ${ada}\nTo: "Ann" <ann@there.example>\nSubject: ${subject}\nMessage-ID: <x@laptop.example>\n\nHello\n`,
  )
  const found = (await listed()).find((one) => one.subject === subject)
  assert.deepEqual(found?.to, ['Ann <ann@there.example>'])
  const path = `/v1/drafts/${found?.id}`
  assert.equal((await request('GET', path)).body.text, 'Hello')
  const edited = await request('PATCH', path, { text: 'Hello Ann', version: found?.version })
  assert.deepEqual([edited.status, edited.body.id, edited.body.subject], [200, found?.id, subject])
  const again = await request('PATCH', path, { text: 'Hello Ann!' })
  assert.deepEqual([again.status, again.body.id], [200, found?.id])
  const ids = (await listed()).flatMap((one) => (one.subject === subject ? one.id : []))
  assert.deepEqual(ids, [found?.id])
})

test('mail with the Message-ID of a draft does not take its place, by whatever way it comes into the folder', async () => {
  const subject = `Mine ${randomUUID()}`
  const draft = await newDraft({ to: 'bob@there.example', subject, text: 'Ten', headers: { 'X-Mine': 'yes' } })
  const raw = await request('GET', `/v1/messages/${draft.uid}/raw?mailbox=${ada}&folder=drafts`)
  const [, id = ''] = /^Message-ID:\s*(\S+)/im.exec(String(raw.bytes)) ?? []
  const forged = (words: string) =>
    `From: eve@there.example\nTo: ${ada}\nSubject: ${subject}\nMessage-ID: ${id}\nX-Theirs: yes\n\n${words}\n`
  await byAnotherProgram(forged('Twenty'))
  await world.send({ envelope: { from: 'eve@there.example', to: [ada] }, raw: forged('Thirty') })
  const inbox = await request('GET', `/v1/messages?mailbox=${ada}`)
  const { uid } = inbox.body.data.find((one: { subject: string }) => one.subject === subject)
  await request('PATCH', `/v1/messages/${uid}?mailbox=${ada}`, { folder: 'drafts' })

  const path = `/v1/drafts/${draft.id}`
  assert.equal((await request('GET', path)).body.text, 'Ten')
  assert.equal((await request('PATCH', path, { cc: 'cy@there.example' })).body.text, 'Ten')
  const others = (await listed()).filter((one) => one.subject === subject && one.id !== draft.id)
  assert.equal(others.length, 2)
  for (const other of others) assert.deepEqual((await request('GET', `/v1/drafts/${other.id}`)).body.headers, {})
  assert.equal((await request('POST', `${path}/send`, {})).status, 202)
  const [sent] = await sentMail()
  assert.match(String(sent?.bytes), /X-Mine: yes[\s\S]*Ten/)
})

test('mail that is moved into the folder is not shown to a key for drafts that reads no mail', async () => {
  const subject = `Secret ${randomUUID()}`
  await world.send({ from: 'ann@there.example', to: ada, subject, text: 'The code is 1234' })
  const inbox = await request('GET', `/v1/messages?mailbox=${ada}`)
  const { uid } = inbox.body.data.find((one: { subject: string }) => one.subject === subject)
  for (const scope of ['sending:draft', 'sending:write', 'sending:approve'] as const) {
    const key = await organization.newKey('messages:write', scope)
    await request('PATCH', `/v1/messages/${uid}?mailbox=${ada}`, { folder: 'drafts' }, { key })
    const found = (await listed()).find((one) => one.subject === subject)
    assert.ok(found)
    const { body } = await request('GET', `/v1/drafts?mailbox=${ada}`, undefined, { key })
    assert.doesNotMatch(JSON.stringify(body), /Secret/, scope)
    const methods = scope === 'sending:approve' ? ['GET'] : ['GET', 'PATCH']
    for (const method of methods)
      assert.equal((await request(method, `/v1/drafts/${found.id}`, bodyFor(method), { key })).status, 404, scope)
  }
})

test('who approves reads the draft of another program for which approval is asked', async () => {
  const subject = `Asked ${randomUUID()}`
  await byAnotherProgram(`From: ${ada}\nTo: ann@there.example\nSubject: ${subject}\n\nHello\n`)
  const found = (await listed()).find((one) => one.subject === subject)
  const key = await organization.newKey('sending:approve')
  const read = () => request('GET', `/v1/drafts/${found?.id}`, undefined, { key })
  assert.equal((await read()).status, 404)
  const asked = await request('POST', `/v1/drafts/${found?.id}/approval`, {})
  assert.equal((await read()).body.text, 'Hello')
  assert.equal((await request('POST', `/v1/approvals/${asked.body.id}/approve`, undefined, { key })).status, 202)
  assert.equal((await sentMail()).length, 1)
})

test('a draft is sent once, and leaves the folder', async () => {
  const draft = await newDraft({ to: 'Bob <bob@there.example>', bcc: 'eve@there.example', text: 'Hello Bob' })
  const send = () => request('POST', `/v1/drafts/${draft.id}/send`, { version: draft.version })
  const answers = await Promise.all([send(), send(), send()])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 404, 404])
  const sent = answers.find(({ status }) => status === 202)?.body
  const taken = await sentMail()
  assert.equal(taken.map(({ to }) => to.toSorted()).join(' '), 'bob@there.example,eve@there.example')
  const wire = taken[0]?.bytes.toString() ?? ''
  assert.ok(wire.includes(`Message-ID: ${sent.message_id}\r\n`))
  assert.doesNotMatch(wire, /draft\.|^bcc/im)
  assert.equal((await request('GET', `/v1/drafts/${draft.id}`)).status, 404)
  assert.ok((await listed()).every(({ id }) => id !== draft.id))
  const copies = await request('GET', `/v1/messages?mailbox=${ada}&folder=sent`)
  assert.equal(copies.body.data[0].message_id, sent.message_id)
  const noted = await world.db.selectFrom('sent_drafts').select('removed').execute()
  assert.ok(noted.every(({ removed }) => removed))
})

test('a draft sent by a process that then died is not found, and leaves the folder later', async () => {
  const draft = await newDraft({ to: 'bob@there.example', text: 'Hello' })
  const { mailboxId, key } = draftNamed(draft.id)
  const mailbox = { organizationId: organization.id, mailboxId }
  const note = () => world.db.transaction().execute((tx) => noteSent(tx, mailbox, { key, uids: [draft.uid] }))
  assert.deepEqual([await note(), await note()], [true, false])
  const inFolder = async () => (await readSummaries(world.db, mailbox, 'drafts', [draft.uid])).length
  for (const [method, path] of Object.entries({ GET: '', PATCH: '', DELETE: '', POST: '/send' }))
    assert.equal((await request(method, `/v1/drafts/${draft.id}${path}`, bodyFor(method))).status, 404, method)
  assert.ok((await listed()).every(({ id }) => id !== draft.id))
  assert.equal(await inFolder(), 1)
  await removeSentDrafts(world.db)
  assert.equal(await inFolder(), 0)
  assert.deepEqual(await sentMail(), [])
})

const bodyFor = (method: string) => (method === 'PATCH' ? { text: 'x' } : method === 'POST' ? {} : undefined)

test('what is unfinished is named, and the draft stays', async () => {
  for (const [fields, field] of [
    [{ to: ['ann@there.example', 'bo'], text: 'x' }, 'to[1]'],
    [{ cc: 'ann@there.example', text: 'x' }, 'to'],
    [{ to: 'ann@there.example', reply_to: 'me' }, 'reply_to'],
  ] as const) {
    const { id } = await newDraft(fields)
    const { status, body } = await request('POST', `/v1/drafts/${id}/send`, {})
    assert.deepEqual([status, body.error.field.replace(/^reply_to\[0\]$/, 'reply_to')], [400, field])
    assert.equal((await request('GET', `/v1/drafts/${id}`)).status, 200)
  }
  const { id } = await newDraft({ from: 'nobody@elsewhere.example', to: 'ann@there.example' })
  assert.equal((await request('POST', `/v1/drafts/${id}/send`, {})).status, 404)
})

test('a draft can be scheduled, and that of an answer wait to be sent unless somebody answers first', async () => {
  const fields = { to: ['Bob <bob@there.example>'], subject: 'Later', text: 'Hello' }
  const [draft, answering] = [
    await newDraft(fields),
    await newDraft({ ...fields, in_reply_to: '<asked@there.example>' }),
  ]
  const send_at = new Date(world.clock.now() + 3_600_000).toISOString()
  for (const [{ id }, choice, field] of [
    [draft, { send_at: '2020-01-01T00:00:00Z' }, 'send_at'],
    [draft, { send_at, unless_replied: true }, 'unless_replied'],
    [answering, { unless_replied: true }, 'unless_replied'],
  ] as const)
    assert.equal((await organization.bodyOf(400, 'POST', `/v1/drafts/${id}/send`, choice)).error.field, field)
  for (const [{ id }, unless_replied] of [
    [draft, false],
    [answering, true],
  ] as const) {
    const { status, body, headers } = await request('POST', `/v1/drafts/${id}/send`, { send_at, unless_replied })
    assert.deepEqual([status, body.status, body.send_at], [201, 'pending', send_at])
    const { to, subject } = fields
    const scheduled = await organization.bodyOf(200, 'GET', headers.get('location') ?? '')
    assert.partialDeepStrictEqual(scheduled, { to, subject, status: 'pending', unless_replied })
    assert.equal((await request('GET', `/v1/drafts/${id}`)).status, 404)
  }
})

test('events tell of drafts as messages that change, never as ones that arrive', async () => {
  const since = await now(world, { organization })
  const draft = await newDraft({ text: 'One' })
  const { uid, message } = (await request('PATCH', `/v1/drafts/${draft.id}`, { text: 'Two' })).body
  await request('DELETE', `/v1/drafts/${draft.id}`)
  const types = 'message.received,message.changed,message.deleted'
  const draftEvents = await readEvents({ organization }, 3, `?after=${since}&types=${types}`)
  assert.deepEqual(each(draftEvents, 'type'), ['message.changed', 'message.changed', 'message.deleted'])
  const before = { id: draft.message, folder: 'drafts', uid: draft.uid }
  const edited = { id: message, folder: 'drafts', uid }
  assert.deepEqual(each(each(draftEvents, 'message').flat(), 'id', 'uid'), [
    [before.id, before.uid],
    [edited.id, edited.uid],
    [edited.id, edited.uid],
  ])
  assert.partialDeepStrictEqual(draftEvents[1], { message: { ...edited, moved_from: before } })
})

test('a Private mailbox has no drafts here', async () => {
  const { address } = await privateMailbox(organization, `secret-${randomUUID().slice(0, 8)}`)
  for (const { status, body } of [
    await request('GET', `/v1/drafts?mailbox=${address}`),
    await request('POST', '/v1/drafts', { mailbox: address }),
  ])
    assert.deepEqual([status, body.error.field], [400, 'mailbox'])
})

for (const [what, attached, times] of [
  ['a draft', 0, 20],
  ['a large draft', 1_500_000, 5],
] as const)
  test(`${what} that is being edited is there for whoever reads it or asks for its approval`, async () => {
    const [editor, reader] = [await organization.newKey('sending:draft'), await organization.newKey('sending:draft')]
    const { id } = await newDraft({ text: 'Hello' })
    if (attached > 0) {
      const file = { filename: 'a.bin', content: Buffer.alloc(attached).toString('base64') }
      assert.equal((await request('POST', `/v1/drafts/${id}/attachments`, file, { key: editor })).status, 201)
    }
    let edited = 0
    const edits = async () => {
      for (; edited < times; edited++) {
        const { status, body } = await request('PATCH', `/v1/drafts/${id}`, { text: `${edited}` }, { key: editor })
        assert.equal(status, 200, JSON.stringify(body))
      }
    }
    const looks = async (method: string, path: string, expected: number, given?: object) => {
      while (edited < times) {
        const { status, body } = await request(method, `/v1/drafts/${id}${path}`, given, { key: reader })
        assert.equal(status, expected, JSON.stringify(body))
      }
    }
    await Promise.all([edits(), looks('POST', '/approval', 201, {}), looks('GET', '', 200)])
  })

test('a draft that is being edited is there for whoever deletes it', async () => {
  for (let turn = 0; turn < 10; turn++) {
    const { id } = await newDraft({ text: 'Hello' })
    const edit = request('PATCH', `/v1/drafts/${id}`, { text: 'Edited' })
    const deleted = await request('DELETE', `/v1/drafts/${id}`)
    assert.equal(deleted.status, 200, JSON.stringify(deleted.body))
    assert.ok([200, 404].includes((await edit).status))
    assert.equal((await request('GET', `/v1/drafts/${id}`)).status, 404)
  }
})
