// On both databases: twenty write and read at once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import { updateMessages } from '#/mail/store/update.ts'
import type { FiledMessage } from '#test/mail/threads/oracle.ts'
import { storeMessages } from '#test/mail/threads/store-messages.ts'
import { each } from '#test/world/each.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()
const organization = await world.organization({ plan: 'business' })

let boxes = 0

/** A mailbox of its own for a test, with these messages in a folder of it. */
async function mailboxWith(messages: readonly Partial<FiledMessage>[], folder = 'inbox'): Promise<Box> {
  const { id, address } = await organization.mailbox(`box-${++boxes}`)
  const mailbox = { organizationId: organization.id, mailboxId: id }
  await storeMessages(world, mailbox, messages.map(filed), folder)
  return { mailbox, query: `mailbox=${address}` }
}

interface Box {
  readonly mailbox: MailboxRef
  readonly query: string
}

function filed(message: Partial<FiledMessage>, place: number): Omit<FiledMessage, 'uid'> {
  return { seen: false, receivedAt: minute(place), sender: 'ann@x.test', headers: '', ...message }
}

function minute(number: number): number {
  return Date.UTC(2026, 10, 21, 7, number, 33)
}

const get = (path: string) => organization.request('GET', path)

const hello = { headers: 'Message-ID: <hello@x>\r\n' }
const reply = { headers: 'Message-ID: <reply@x>\r\nIn-Reply-To: <hello@x>\r\n', sender: 'Ben@X.test', seen: true }
const other = { headers: 'Message-ID: <other@x>\r\n', sender: 'cho@x.test', seen: true }

test('GET /v1/threads lists conversations with every documented field, newest first', async () => {
  const { query } = await mailboxWith([hello, other, reply])
  const { status, body } = await get(`/v1/threads?${query}`)
  assert.equal(status, 200)
  const [{ id }, { id: otherId }] = body.data
  const ids = each((await get(`/v1/messages?${query}`)).body.data, 'id').toReversed()
  const [first, second] = [
    {
      ...{ id, subject: `ann@x.test at ${minute(0)}`, root_message_id: '<hello@x>', folder: 'inbox', message_count: 2 },
      ...{ unread: true, last_message_at: '2026-11-21T07:02:33.000Z', participants: ['ann@x.test', 'ben@x.test'] },
      ...{ preview: `The text of Ben@X.test at ${minute(2)}`, uids: [1, 3], ids: [ids[0], ids[2]] },
    },
    {
      ...{ id: otherId, subject: `cho@x.test at ${minute(1)}`, root_message_id: '<other@x>', folder: 'inbox' },
      ...{ message_count: 1, unread: false, last_message_at: '2026-11-21T07:01:33.000Z' },
      ...{ participants: ['cho@x.test'], preview: `The text of cho@x.test at ${minute(1)}`, uids: [2], ids: [ids[1]] },
    },
  ]
  assert.deepEqual(body, { data: [first, second], total: 2, page: 0, has_more: false, next_cursor: null })
  assert.match(id, /^[A-Za-z0-9_-]{16}$/)
})

test('GET /v1/threads/{id} answers the conversation with every field of its messages, oldest first, without bodies', async () => {
  const { query } = await mailboxWith([hello, other, reply])
  const { id } = (await get(`/v1/threads?${query}`)).body.data[0]
  const { status, body } = await get(`/v1/threads/${id}?${query}`)
  assert.equal(status, 200)
  const [first, second] = body.messages
  assert.deepEqual(body, {
    ...{ id, subject: `ann@x.test at ${minute(0)}`, root_message_id: '<hello@x>', folder: 'inbox' },
    messages: [first, second],
  })
  assert.deepEqual(first, {
    ...{ id: first.id, uid: 1, thread_id: id, conversation_id: first.conversation_id, message_id: '<hello@x>' },
    ...{ subject: `ann@x.test at ${minute(0)}`, from: { name: 'Somebody', address: 'ann@x.test' }, to: [], date: null },
    ...{ received_at: '2026-11-21T07:00:33.000Z', unread: true, starred: false, answered: false, forwarded: false },
    ...{ labels: [], has_attachment: false, authentication: null, list_unsubscribe: null },
    preview: `The text of ann@x.test at ${minute(0)}`,
  })
  assert.partialDeepStrictEqual(second, { uid: 3, from: { name: 'Somebody', address: 'Ben@X.test' }, unread: false })
})

test('a message of a conversation has the fields that it has in the list of messages: to whom, and the labels of the organization', async () => {
  const toTwo = { headers: 'Message-ID: <two@x>\r\nTo: Ada <ada@x.test>, bob@x.test\r\n' }
  const { mailbox, query } = await mailboxWith([toTwo])
  const { keyword } = (await organization.request('POST', '/v1/labels', { name: 'Seen in threads' })).body
  const mine = await organization.labelOfMember('Mine')
  await updateMessages(world.db, mailbox, 'inbox', [1], { addKeywords: [keyword, mine.keyword] })
  const [{ id }] = (await get(`/v1/threads?${query}`)).body.data
  const [message] = (await get(`/v1/threads/${id}?${query}`)).body.messages
  const [item] = (await get(`/v1/messages?${query}`)).body.data
  const { mailbox: _address, folder, size_bytes, ...shared } = item
  assert.deepEqual(message, { ...shared, thread_id: id })
  assert.deepEqual(message.labels, [keyword])
  assert.deepEqual(each(message.to, 'name', 'address'), [
    ['Ada', 'ada@x.test'],
    ['', 'bob@x.test'],
  ])
})

test('Of twenty who write and read at once, each sees what it wrote', async () => {
  const { mailbox, query } = await mailboxWith([hello])
  const writers = Array.from({ length: 20 }, async (_, writer) => {
    for (let round = 0; round < 3; round++) {
      const sender = `writer-${writer}-${round}@x.test`
      await storeMessages(world, mailbox, [filed({ headers: `Message-ID: <${sender}>\r\n`, sender }, 1)])
      const { data } = (await get(`/v1/threads?${query}&limit=100`)).body
      assert.ok(data.some(({ participants }: { participants: string[] }) => participants.includes(sender)))
    }
  })
  await Promise.all(writers)
})

test('An id means nothing in another folder, and stops resolving when the conversation moves', async () => {
  const { mailbox, query } = await mailboxWith([hello])
  await storeMessages(world, mailbox, [filed(hello, 0)], 'archive')
  const { id } = (await get(`/v1/threads?${query}`)).body.data[0]
  const archived = (await get(`/v1/threads?${query}&folder=archive`)).body.data[0]
  assert.notEqual(archived.id, id)
  assert.equal((await get(`/v1/threads/${id}?${query}&folder=archive`)).status, 404)
  await organization.request('PATCH', `/v1/messages?${query}`, { uids: [1], folder: 'trash' })
  assert.equal((await get(`/v1/threads/${id}?${query}`)).status, 404)
})

test('The order comes from when messages were received, not from their Date; ties go by uid', async () => {
  const early = { headers: 'Message-ID: <e@x>\r\nDate: Fri, 1 Jan 2100 00:00:00 +0000\r\n', receivedAt: minute(1) }
  const { query } = await mailboxWith([{ ...other, receivedAt: minute(2) }, early, { ...hello, receivedAt: minute(2) }])
  const { data } = (await get(`/v1/threads?${query}`)).body
  assert.deepEqual(each(data, 'uids'), [[3], [1], [2]])
})

test('a folder is asked for in any form of its name, and answered in one', async () => {
  const { query } = await mailboxWith([hello], 'junk')
  const { data } = (await get(`/v1/threads?${query}&folder=Spam`)).body
  assert.deepEqual([data[0].folder, data[0].message_count], ['junk', 1])
  assert.equal((await get(`/v1/threads/${data[0].id}?${query}&folder=Junk`)).body.folder, 'junk')
})

test('A deleted mailbox is not_found at once, and another with its address is read instead', async () => {
  const { mailbox, query } = await mailboxWith([hello])
  const [{ id, folder }] = (await get(`/v1/threads?${query}`)).body.data
  const paths = [`/v1/threads?${query}`, `/v1/threads/${id}?${query}`]
  for (const path of paths) assert.equal((await get(path)).status, 200)
  await world.db.deleteFrom('mailboxes').where('id', '=', mailbox.mailboxId).execute()
  for (const path of paths) {
    const { status, body } = await get(path)
    assert.deepEqual([status, body.error.message], [404, 'No such mailbox'])
  }
  const [localPart = ''] = query.replace('mailbox=', '').split('@')
  const { id: mailboxId } = await organization.mailbox(localPart)
  await storeMessages(world, { organizationId: organization.id, mailboxId }, [other, reply].map(filed), folder)
  assert.equal((await get(`/v1/threads?${query}`)).body.total, 2)
  assert.equal((await get(`/v1/threads/${id}?${query}`)).body.error.message, 'No such thread')
})

test('An id that no conversation has is not_found, whatever its form; in an unknown folder it is invalid_request', async () => {
  const { query } = await mailboxWith([hello])
  const { id } = (await get(`/v1/threads?${query}`)).body.data[0]
  const strange = `${id.startsWith('A') ? 'B' : 'A'}${id.slice(1)}`
  const foreign = '0199f0a2-7a52-7cc1-a1f1-0d5b7f3a1c55'
  for (const none of ['x', strange, `${id}A`, id.slice(1), `${id.slice(0, 15)}=`, '%00', foreign]) {
    const { status, body } = await get(`/v1/threads/${none}?${query}`)
    assert.deepEqual([none, status, body.error.message], [none, 404, 'No such thread'])
  }
  assert.equal((await get(`/v1/threads/${id}?${query}&folder=nowhere`)).status, 400)
})

test('A conversation of a thousand messages is read whole', async () => {
  const messages = Array.from({ length: 1000 }, (_, number) => ({
    headers: `Message-ID: <${number}@x>\r\nReferences: <root@x>\r\n`,
    receivedAt: minute(0) + number,
    sender: `p${number % 300}@x.test`,
  }))
  const { query } = await mailboxWith(messages)
  const [{ id, participants, message_count }] = (await get(`/v1/threads?${query}`)).body.data
  assert.deepEqual([participants.length, message_count], [300, 1000])
  const { body } = await get(`/v1/threads/${id}?${query}`)
  const uids = Array.from({ length: 1000 }, (_, place) => place + 1)
  assert.deepEqual(each(body.messages, 'uid'), uids)
})
