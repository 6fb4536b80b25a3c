import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byOperator } from '#/base/audit/actor.ts'
import { addLabel } from '#/mail/labels/catalogue.ts'
import { expungeMessages } from '#/mail/store/expunge.ts'
import { storeMessages } from '#test/mail/threads/store-messages.ts'
import { hand, letter, newestIn } from '#test/world/letters/letter.ts'
import { privateMailbox } from '#test/world/mail/private-mailbox.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()
const organization = await world.organization()
const ada = await organization.mailbox('ada')
const bob = await organization.mailbox('bob')
for (const [to, subject, text] of [
  [[ada.address, bob.address], 'Shared news', 'The caravan leaves at dawn.'],
  [
    [ada.address],
    'For Ada',
    `${'Many words come first. '.repeat(20)}Then the zeppelin lands. ${'More follow. '.repeat(20)}`,
  ],
  [[bob.address], 'For Bob', 'No zeppelin here.\n\nOn Monday, Ann wrote:\n> a quoted gondola\n-- \nA signature of Ann'],
] as const)
  await world.send({ from: 'Zoë <zoe@peer.example>', to: [...to], subject, text })
await world.searchIndexer?.processAll()

const search = (query: Record<string, string>, key = organization.key, mailboxes: readonly string[] = []) => {
  const given = new URLSearchParams(query)
  for (const one of mailboxes) given.append('mailbox', one)
  return organization.request('GET', `/v1/search?${given}`, undefined, { key })
}

async function found(query: Record<string, string>, key?: string, mailboxes?: readonly string[]) {
  const { status, body, bytes } = await search(query, key, mailboxes)
  assert.equal(status, 200, `${bytes}`)
  return body.data.map((one: { mailbox: string; subject: string }) => [one.mailbox, one.subject]).sort()
}

test('what is found has the fields of a listed message, its mailbox, and the place that matched', async () => {
  const { body } = await search({ q: 'ZEPPELIN in:inbox subject:ada' })
  const [one] = body.data
  const listed = await organization.request('GET', `/v1/messages?mailbox=${ada.address}`)
  const { match, ...item } = one
  const expected = listed.body.data.find(({ subject }: { subject: string }) => subject === 'For Ada')
  assert.deepEqual(item, expected)
  assert.ok(item.thread_id && item.conversation_id)
  assert.equal(match.field, 'text')
  assert.match(match.text, /^….*Then the zeppelin lands\. .*…$/)
  assert.ok(match.text.length < 150)
  assert.deepEqual([body.next_cursor, body.partial, body.indexing], [null, false, false])
})

test('quoted text and a signature are not searched', async () => {
  assert.deepEqual(await found({ q: 'gondola OR signature' }), [])
  assert.match(await newestIn(organization, bob.address), /gondola/)
})

test('what HTML alone marks as quoted or as a signature is not searched', async () => {
  const dan = await organization.mailbox('dan')
  const html =
    '<p>A trireme.</p><div class="gmail_signature">Zoe of Corinth</div><div class="yahoo_quoted">A quinquereme?</div>'
  await hand(world, 'zoe@peer.example', dan.address, letter({ Subject: 'Ships', 'Content-Type': 'text/html' }, html))
  await world.searchIndexer?.processAll()
  assert.deepEqual(await found({ q: 'trireme' }), [[dan.address, 'Ships']])
  assert.deepEqual(await found({ q: 'quinquereme OR corinth' }), [])
})

test('of a message whose text is empty the HTML is searched', async () => {
  const fay = await organization.mailbox('fay')
  const parts = ['text/plain\r\n\r\n ', 'text/html\r\n\r\n<p>A catamaran.</p>']
  const both = parts.map((part) => `--b\r\nContent-Type: ${part}\r\n`).join('')
  const type = 'multipart/alternative; boundary=b'
  await hand(world, 'zoe@peer.example', fay.address, letter({ Subject: 'Boats', 'Content-Type': type }, `${both}--b--`))
  await world.searchIndexer?.processAll()
  assert.deepEqual(await found({ q: 'catamaran' }), [[fay.address, 'Boats']])
})

test('one mailbox, several, or all are searched', async () => {
  const all = [
    [ada.address, 'For Ada'],
    [bob.address, 'For Bob'],
  ]
  assert.deepEqual(await found({ q: 'zeppelin' }), all)
  assert.deepEqual(await found({ q: 'zeppelin' }, undefined, [bob.address]), [[bob.address, 'For Bob']])
  assert.deepEqual(await found({ q: 'zeppelin' }, undefined, [bob.address, ada.address]), all)
  assert.deepEqual(await found({ q: 'caravan' }), [
    [ada.address, 'Shared news'],
    [bob.address, 'Shared news'],
  ])
})

test('a restricted key finds only what its mailboxes have', async () => {
  const key = await organization.restrictedKey({ mailbox_ids: [bob.id] })
  assert.deepEqual(await found({ q: 'zeppelin OR caravan' }, key), [
    [bob.address, 'For Bob'],
    [bob.address, 'Shared news'],
  ])
  assert.equal((await search({ q: 'zeppelin' }, key, [ada.address])).status, 404)
})

test('another organization finds nothing of it', async () => {
  const stranger = await world.organization()
  await stranger.mailbox('ada')
  assert.deepEqual(await found({ q: 'zeppelin OR from:zoe' }, stranger.key), [])
  assert.equal((await search({ q: 'zeppelin' }, stranger.key, [ada.address])).status, 404)
})

test('a cursor continues the same search, and no other', async () => {
  const first = await search({ q: 'from:zoe', limit: '3', cursor: '' })
  assert.equal(first.body.data.length, 3)
  const cursor = first.body.next_cursor
  const second = await search({ q: 'from:zoe', limit: '3', cursor })
  assert.deepEqual([second.body.data.length, second.body.next_cursor], [1, null])
  const uids = [...first.body.data, ...second.body.data].map(({ mailbox, uid }) => `${mailbox} ${uid}`)
  assert.equal(new Set(uids).size, 4)
  for (const [query, mailboxes] of [
    [{ q: 'from:bob', cursor }, []],
    [{ q: 'from:zoe', cursor }, [ada.address]],
    [{ q: 'from:zoe', cursor: 'x' }, []],
    [{ q: 'from:zoe', cursor: Buffer.from('[1, {}]').toString('base64url') }, []],
  ] as const) {
    const { status, body } = await search(query, undefined, mailboxes)
    assert.deepEqual([status, body.error.field], [400, 'cursor'])
  }
})

test('a cursor continues behind messages of any date', async () => {
  const old = await organization.mailbox('old')
  const mailbox = { organizationId: organization.id, mailboxId: old.id }
  const one = { headers: '', seen: false, sender: 'zoe@peer.example' }
  const sent = [1950, 1960, 1990].map((year) => ({ ...one, receivedAt: Date.UTC(year) }))
  await storeMessages(world, mailbox, sent)
  await world.searchIndexer?.processAll()
  const received: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await search({ q: 'is:unread', mailbox: old.address, limit: '1', cursor })
    received.push(...body.data.map(({ received_at }: { received_at: string }) => received_at.slice(0, 4)))
    cursor = body.next_cursor
  }
  assert.deepEqual(received, ['1990', '1960', '1950'])
})

test('a mistake is refused with its field and its place', async () => {
  for (const [query, field, message] of [
    [{ q: '' }, 'q', /empty/],
    [{ q: 'a (b' }, 'q', /not closed \(character 3 of q\)/],
    [{ q: 'a label:nothing' }, 'q', /No label has the keyword "nothing" \(character 9 of q\)/],
    [{ q: 'x'.repeat(1_001) }, 'q', /at most 1000/],
  ] as const) {
    const { status, body } = await search(query)
    assert.deepEqual([status, body.error.code, body.error.field], [400, 'invalid_request', field])
    assert.match(body.error.message, message)
  }
})

test('a label of a member does not exist for a search', async () => {
  const member = await organization.member('m@people.example')
  const owner = { organizationId: organization.id, memberId: member.id }
  await world.db.transaction().execute((tx) => addLabel(tx, owner, { name: 'Mine', colour: 'slate' }, byOperator))
  assert.equal((await search({ q: 'label:mine' })).status, 400)
})

test('a Private mailbox is refused, is left out of all, and never indexed', async () => {
  const secret = await privateMailbox(organization, 'secret')
  await world.send({ from: 'zoe@peer.example', to: secret.address, subject: 'A submarine', text: 'Submarines dive.' })
  await world.searchIndexer?.processAll()
  const { status, body } = await search({ q: 'submarine' }, undefined, [secret.address])
  assert.deepEqual([status, body.error.code, body.error.field], [400, 'invalid_request', 'mailbox'])
  assert.deepEqual(await found({ q: 'submarine OR to:secret' }), [])
  const waiting = await world.db.selectFrom('mail_search_queue').select('id').execute()
  assert.deepEqual(waiting, [])
})

test('a message that is deleted for good leaves the index', async () => {
  const eve = await organization.mailbox('eve')
  const indexed = async () => (await world.db.selectFrom('mail_search').select('content_id').execute()).length
  const before = await indexed()
  await world.send({ from: 'zoe@peer.example', to: eve.address, subject: 'A balloon' })
  await world.searchIndexer?.processAll()
  assert.deepEqual(await found({ q: 'balloon' }), [[eve.address, 'A balloon']])
  await expungeMessages(world.db, { organizationId: organization.id, mailboxId: eve.id }, 'inbox', [1])
  assert.deepEqual([await found({ q: 'balloon' }), await indexed()], [[], before])
})

test('large messages are found by their size', async () => {
  const carol = await organization.mailbox('carol')
  for (const [subject, length] of Object.entries({ Small: 900_000, Large: 1_100_000, Larger: 2_500_000 })) {
    const text = 'A long line of words\n'.repeat(length / 21)
    await world.send({ from: 'zoe@peer.example', to: carol.address, subject, text })
  }
  await world.searchIndexer?.processAll()
  const subjects = async (q: string) =>
    (await found({ q, mailbox: carol.address })).map(([, subject]: [string, string]) => subject)
  assert.deepEqual(await subjects('larger:1M'), ['Large', 'Larger'])
  assert.deepEqual(await subjects('larger:2M is:unread'), ['Larger'])
  assert.deepEqual(await subjects('larger:800K'), ['Large', 'Larger', 'Small'])
  assert.deepEqual(await subjects('larger:1M OR subject:small'), ['Large', 'Larger', 'Small'])
})
