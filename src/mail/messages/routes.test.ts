import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byOperator } from '#/base/audit/actor.ts'
import { readMessage } from '#/formats/mime/read-message.ts'
import type { Copy } from '#/mail/store/copy-to-append.ts'
import { folderStatuses } from '#/mail/store/folders.ts'
import { addFilter } from '#/rules/filters/changes.ts'
import { each } from '#test/world/each.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()

interface Box {
  readonly organization: TestOrganization
  readonly address: string
  readonly id: string
}

async function box(organization?: TestOrganization, localPart = 'ada'): Promise<Box> {
  const owner = organization ?? (await world.organization())
  return { organization: owner, ...(await owner.mailbox(localPart)) }
}

/** Puts messages into the mailbox, one a second. */
async function fill({ organization, id }: Box, ...changes: Partial<Copy>[]): Promise<void> {
  const copies = changes.map((change, second) => ({
    ...{ mailbox: { organizationId: organization.id, mailboxId: id }, folder: 'inbox' },
    ...{ message: letter(`Letter ${second + 1}`), receivedAt: new Date(Date.UTC(2026, 10, 21, 7, 44, second, 123)) },
    ...{ seen: false, flagged: false, keywords: [], filteredBy: [] },
    ...change,
  }))
  await world.store(copies)
}

function letter(subject: string, more = '', body = 'Dear Ada,\r\nall is well.\r\n') {
  const header = `From: Charles <Charles@engines.example>\r\nTo: ada@x.test\r\nSubject: ${subject}\r\n${more}`
  const id = `Message-ID: <${subject.replaceAll(' ', '.')}@engines.example>\r\n`
  return readMessage(Buffer.from(`${header}${id}\r\n${body}`))
}

function path({ address }: Box, rest = '', query: Record<string, string> = {}): string {
  return `/v1/messages${rest}?${new URLSearchParams({ mailbox: address, ...query })}`
}

async function get(at: Box, rest = '', query: Record<string, string> = {}) {
  return await at.organization.bodyOf(200, 'GET', path(at, rest, query))
}

const uids = (page: { data: { uid: number }[] }) => page.data.map(({ uid }) => uid)

async function label(organization: TestOrganization, name: string): Promise<{ id: string; keyword: string }> {
  return (await organization.request('POST', '/v1/labels', { name })).body
}

test('GET /v1/folders gives the six and the others, with exact counts', async () => {
  const at = await box()
  await fill(at, {}, { seen: true }, { folder: 'Projects/Apollo' })
  const body = await at.organization.bodyOf(200, 'GET', `/v1/folders?mailbox=${at.address}`)
  assert.deepEqual(body, {
    data: [
      { name: 'inbox', role: 'inbox', total: 2, unread: 1 },
      ...['sent', 'drafts', 'archive', 'junk', 'trash'].map((name) => ({ name, role: name, total: 0, unread: 0 })),
      { name: 'Projects/Apollo', role: null, total: 1, unread: 1 },
    ],
    next_cursor: null,
  })
})

test('GET /v1/messages gives the inbox newest first, 25 at a time', async () => {
  const at = await box()
  await fill(at, ...Array(26).fill({}))
  const first = await get(at)
  assert.deepEqual([uids(first)[0], first.data.length, first.total, first.page, first.has_more], [26, 25, 26, 0, true])
  const second = await get(at, '', { page: '1' })
  assert.deepEqual([uids(second), second.total, second.page, second.has_more], [[1], 26, 1, false])
  const beyond = await get(at, '', { page: '9', limit: '100' })
  assert.deepEqual(beyond, { data: [], total: 26, page: 9, has_more: false, next_cursor: null })
})

test('a listed message has every field', async () => {
  const at = await box()
  const { keyword } = await label(at.organization, 'Work')
  // Of a whole second, which is all that IMAP tells.
  const receivedAt = new Date('2026-11-21T07:44:00Z')
  await fill(at, { receivedAt, flagged: true, keywords: [keyword] })
  const { data } = await get(at, '', { folder: 'INBOX' })
  const threads = await at.organization.request('GET', `/v1/threads?mailbox=${at.address}`)
  const conversations = await at.organization.request('GET', `/v1/conversations?mailbox=${at.address}`)
  const [listed, ...others] = data
  assert.deepEqual(others, [])
  assert.deepEqual(listed, {
    ...{ mailbox: at.address, id: listed.id, uid: 1, folder: 'inbox', message_id: '<Letter.1@engines.example>' },
    ...{ thread_id: threads.body.data[0].id, conversation_id: conversations.body.data[0].id },
    ...{ subject: 'Letter 1', from: { name: 'Charles', address: 'Charles@engines.example' } },
    ...{ to: [{ name: '', address: 'ada@x.test' }], date: null, received_at: '2026-11-21T07:44:00.000Z' },
    ...{ unread: true, starred: true, answered: false, forwarded: false, labels: ['work'], has_attachment: false },
    ...{ preview: 'Dear Ada, all is well.', authentication: null, list_unsubscribe: null },
    size_bytes: letter('Letter 1').raw.length,
  })
})

test('a list is narrowed by what is unread, by a label, and by a page', async () => {
  const at = await box()
  await label(at.organization, 'Work')
  await fill(at, { seen: true, keywords: ['work'] }, {}, { seen: true }, { keywords: ['work'] })
  for (const [query, expected] of [
    [{ unread: 'true' }, [4, 2]],
    [{ unread: 'false' }, [3, 1]],
    [{ label: 'work' }, [4, 1]],
    [{ label: 'work', unread: 'true' }, [4]],
    [{ limit: '1', page: '2' }, [2]],
  ] as const)
    assert.deepEqual(uids(await get(at, '', query)), expected, JSON.stringify(query))
})

test('uids names messages, given newest first, once each, without those that are not there', async () => {
  const at = await box()
  await fill(at, { receivedAt: new Date(Date.UTC(2026, 11, 1)) }, {}, {}, {})
  const { data, ...page } = await get(at, '', { uids: '3,1,9,2,3,4294967295' })
  assert.deepEqual(page, { total: 3, page: 0, has_more: false, next_cursor: null })
  assert.deepEqual(uids({ data }), [1, 3, 2])
  assert.deepEqual(uids(await get(at, '', { uids: '1', folder: 'archive' })), [])
})

test('GET /v1/messages/{uid} gives the whole message, and does not mark it as read', async () => {
  const at = await box()
  const more =
    'Cc: =?utf-8?q?B=C3=B6b?= <bob@x.test>\r\nReply-To: office@x.test\r\nIn-Reply-To: <two@x.test>\r\n' +
    'References: <one@x.test>\r\n <two@x.test>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n'
  const body =
    '--b\r\nContent-Type: text/html\r\n\r\n<p>Hi</p>\r\n' +
    '--b\r\nContent-Type: image/svg+xml\r\nContent-Disposition: attachment; filename="a b.svg"\r\n\r\n<svg/>\r\n--b--\r\n'
  await fill(at, { message: letter('Whole', more, body) })
  const message = await get(at, '/1')
  const file = { id: '2', filename: 'a b.svg', content_type: 'image/svg+xml', size_bytes: 6 }
  assert.partialDeepStrictEqual(message, {
    ...{ uid: 1, cc: [{ name: 'Böb', address: 'bob@x.test' }], reply_to: [{ name: '', address: 'office@x.test' }] },
    ...{ in_reply_to: '<two@x.test>', references: ['<one@x.test>', '<two@x.test>'], filtered_by: [] },
    ...{ text: 'Hi', html: '<p>Hi</p>', new_text: 'Hi', attachments: [{ ...file, inline: false, content_id: null }] },
  })
  assert.equal((await get(at, '/1')).unread, true)
})

test('attachments and raw messages are given to be saved, never to be shown', async () => {
  const at = await box()
  const part =
    '--b\r\nContent-Type: text/html; name="=?utf-8?q?=C3=A9.html?="\r\nContent-Transfer-Encoding: base64\r\n\r\n'
  const mime = 'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n'
  const message = letter('Saved', mime, `--b\r\n\r\nHi\r\n${part}PHNjcmlwdD4=\r\n--b--\r\n`)
  await fill(at, { message })
  const attachment = await at.organization.request('GET', path(at, '/1/attachments/2'))
  const raw = await at.organization.request('GET', path(at, '/1/raw'))
  assert.equal(attachment.bytes.toString(), '<script>')
  assert.ok(raw.bytes.equals(message.raw))
  assert.equal(attachment.headers.get('content-type'), 'application/octet-stream')
  assert.equal(raw.headers.get('content-type'), 'message/rfc822')
  const disposition = attachment.headers.get('content-disposition')
  assert.equal(disposition, `attachment; filename="_.html"; filename*=UTF-8''%C3%A9.html`)
  for (const { status, headers } of [attachment, raw]) {
    assert.equal(status, 200)
    assert.match(headers.get('content-disposition') ?? '', /^attachment; /)
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.equal(headers.get('content-security-policy'), "sandbox; default-src 'none'")
  }
})

for (const [what, change, expected] of [
  ['marks as read', { unread: false }, { unread: false }],
  ['marks as unread', { unread: true }, { unread: true }],
  ['stars', { starred: true }, { starred: true }],
  ['adds labels, each once', { add_labels: ['work', 'work', 'later'] }, { labels: ['later', 'work'] }],
  ['takes labels off', { remove_labels: ['past'] }, { labels: [] }],
  ['takes off what is not there', { remove_labels: ['work'] }, { labels: ['past'] }],
  ['moves, under a new uid', { folder: 'Spam' }, { folder: 'junk', uid: 1 }],
  ['moves to a folder that is not there yet', { folder: 'A/B', starred: true }, { folder: 'A/B', starred: true }],
  ['moves to where it is', { folder: 'Inbox' }, { folder: 'inbox', uid: 2 }],
] as const)
  test(`PATCH /v1/messages/{uid} ${what}, and answers the message`, async () => {
    const at = await box()
    for (const name of ['Work', 'Later', 'Past']) await label(at.organization, name)
    await fill(at, {}, { keywords: ['past'] })
    const body = await at.organization.bodyOf(200, 'PATCH', path(at, '/2'), change)
    assert.partialDeepStrictEqual(body, expected)
    assert.deepEqual((await get(at, '', { folder: body.folder })).data[0], body)
    assert.partialDeepStrictEqual(await get(at, '/1'), { unread: true, starred: false, labels: [] })
  })

test('PATCH /v1/messages changes many, and says which were not there', async () => {
  const at = await box()
  await fill(at, {}, {}, {})
  const body = await at.organization.bodyOf(200, 'PATCH', path(at), { uids: [3, 9, 1, 3], unread: false })
  const { change_id, ...rest } = body
  assert.match(change_id, /^[0-9a-f-]{36}$/)
  assert.deepEqual(rest, { updated: [1, 3], not_found: [9], moved: [] })
  assert.deepEqual(uids(await get(at, '', { unread: 'true' })), [2])
  const moved = await at.organization.request('PATCH', path(at), { uids: [1, 3], folder: 'Projects' })
  const { change_id: _, moved: places, ...again } = moved.body
  assert.deepEqual(again, { updated: [1, 3], not_found: [] })
  assert.deepEqual(each(places, 'uid', 'new_uid').flat(), [1, 1, 3, 2])
  assert.deepEqual(uids(await get(at, '', { folder: 'Projects' })), [2, 1])
})

for (const rest of ['/1', ''])
  test(`PATCH /v1/messages${rest} with a label that is none of ours is refused, and changes nothing`, async () => {
    const at = await box()
    await label(at.organization, 'Work')
    const gone = await label(at.organization, 'Gone')
    await at.organization.request('DELETE', `/v1/labels/${gone.id}`)
    await at.organization.labelOfMember('Mine')
    await fill(at, {})
    const before = await get(at)
    for (const [change, field] of [
      [{ add_labels: [], remove_labels: [] }, 'body'],
      [{ starred: true, add_labels: ['work', 'nowhere'] }, 'add_labels[1]'],
      [{ starred: true, remove_labels: ['nowhere'] }, 'remove_labels[0]'],
      [{ starred: true, add_labels: ['Work'] }, 'add_labels[0]'],
      [{ starred: true, add_labels: ['mine'] }, 'add_labels[0]'],
      [{ starred: true, add_labels: ['gone'] }, 'add_labels[0]'],
      [{ add_labels: ['work'], remove_labels: ['work'] }, 'remove_labels'],
    ] as const) {
      const body = { ...(rest === '' && { uids: [1] }), ...change }
      const { error } = await at.organization.bodyOf(400, 'PATCH', path(at, rest), body)
      assert.deepEqual([error.code, error.field], ['invalid_request', field])
    }
    assert.deepEqual(await get(at), before)
    assert.equal((await folderStatuses(world.db, { organizationId: at.organization.id, mailboxId: at.id })).length, 6)
  })

test('a list is not narrowed by what is none of ours, nor are named messages', async () => {
  const at = await box()
  await at.organization.labelOfMember('Mine')
  for (const [query, field] of [
    ['label=mine', 'label'],
    ['uids=1, 2', 'uids'],
    ['uids=4294967296', 'uids'],
    [`uids=${Array(101).fill(1).join(',')}`, 'uids'],
    ['uids=1&page=0', 'page'],
    ['uids=1&limit=5', 'limit'],
    ['uids=1&unread=true', 'unread'],
    ['uids=1&label=work', 'label'],
  ])
    assert.equal((await at.organization.bodyOf(400, 'GET', `${path(at)}&${query}`)).error.field, field, query)
})

test('a uid or an attachment that is not there, and what is none, is not_found', async () => {
  const at = await box()
  await fill(at, {})
  const numbers = ['/2', '/-1', '/01', '/1.0', '/1e0', '/4294967296', `/${'9'.repeat(400)}`]
  for (const rest of [...numbers, '/1/attachments/__proto__'])
    assert.equal((await at.organization.request('GET', path(at, rest))).status, 404, rest)
  const change = { starred: true, add_labels: ['nowhere'] }
  assert.equal((await at.organization.request('PATCH', path(at, '/2'), change)).status, 404)
})

test("a member's own labels are not shown; a deleted organization label's keyword is", async () => {
  const at = await box()
  const { organization } = at
  const gone = await label(organization, 'Gone')
  await organization.labelOfMember('Mine')
  await fill(at, { keywords: ['mine', 'gone', '$forwarded'] })
  await organization.request('DELETE', `/v1/labels/${gone.id}`)
  assert.deepEqual((await get(at, '/1')).labels, ['gone'])
  assert.deepEqual((await get(at)).data[0].labels, ['gone'])
  assert.deepEqual(uids(await get(at, '', { label: 'gone' })), [1])
})

test("a member's own filters act on mail to their mailbox, and are not shown, even once they are deleted", async () => {
  const organization = await world.organization()
  const member = await organization.member(`ada@${organization.domain}`)
  const at = await box(organization)
  const filter = { field: 'from', op: 'is', value: 'ann@shop.example', position: 1, enabled: true } as const
  const [ours, mine] = await world.db.transaction().execute(async (tx) => {
    const itself = { organizationId: organization.id, memberId: null }
    const owned = { organizationId: organization.id, memberId: member.id }
    return [
      await addFilter(tx, itself, { ...filter, name: 'ours', action: 'star', argument: null }, byOperator),
      await addFilter(tx, owned, { ...filter, name: 'mine', action: 'read', argument: null }, byOperator),
    ]
  })
  await world.send({ from: 'ann@shop.example', to: at.address, subject: 'Hello', text: 'Hello' })
  const seen = { unread: false, starred: true }
  const shown = [{ filter_id: ours.id, name: 'ours', action: 'star', argument: null }]
  assert.partialDeepStrictEqual(await get(at, '/1'), seen)
  assert.deepEqual((await get(at, '/1')).filtered_by, shown)
  await world.db.deleteFrom('filters').where('id', '=', mine.id).execute()
  assert.deepEqual((await get(at, '/1')).filtered_by, shown)
})

test('mail that came in over SMTP and was filtered is read back with what filtered it', async () => {
  const at = await box()
  const { keyword } = await label(at.organization, 'Invoices')
  const words = { name: 'Bills', field: 'subject', op: 'contains', value: 'invoice' }
  const filter = await at.organization.bodyOf(201, 'POST', '/v1/filters', {
    ...words,
    action: 'label',
    argument: keyword,
  })
  await world.send({ from: 'ann@shop.example', to: at.address, subject: 'Your invoice', text: 'Please pay.' })
  const message = await get(at, '/1')
  const said = { subject: 'Your invoice', text: 'Please pay.\n', new_text: 'Please pay.' }
  assert.partialDeepStrictEqual(message, { ...said, labels: ['invoices'] })
  const did = { filter_id: filter.id, name: 'Bills', action: 'label', argument: 'invoices' }
  assert.deepEqual(message.filtered_by, [did])
})
