import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listMessages } from '#/mail/list.ts'
import { readHeaders } from '#/mime/header/headers.ts'
import { each } from '#test/each.ts'
import { hand, letter, newestIn } from '#test/mail/letter.ts'
import { openPgpKey } from '#test/mail/openpgp-key.ts'
import { tablesWith } from '#test/observe/tables-with.ts'
import { opened, privateMailbox, storedIn } from '#test/world/mail/private-mailbox.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()
const organization = await world.organization()

const sender = 'ann@peer.example'

async function used(): Promise<number> {
  return (await organization.request('GET', '/v1/usage')).body.storage.used_bytes
}

test('mail to a Private mailbox is kept encrypted, and its owner reads what a Smart mailbox holds', async () => {
  const ada = await organization.mailbox('ada')
  const secret = await privateMailbox(organization, 'secret')
  const text = letter({ Subject: 'The plan', 'X-Extra': 'y' }, 'Line\r\n.dot\r\nä 8-bit\r\n')
  assert.equal(await hand(world, sender, [ada.address, secret.address], text), '250 2.6.0')
  const [raw] = await storedIn(organization, secret.id)
  assert.ok(raw)
  const plain = await opened(raw, secret.privateKey)
  assert.equal(plain.toString('latin1'), await newestIn(organization, ada.address))
  assert.ok(plain.toString().endsWith(`${text}\r\n`))
})

test('of an encrypted message nothing more is left to read than its listing needs', async () => {
  const { id, address } = await privateMailbox(organization, 'bare')
  const fields = {
    From: 'Ann Secretname <ann@peer.example>',
    To: `Ada <${address}>, somebody-else@peer.example`,
    Subject: 'Hiddensubject',
    'Message-ID': '<hidden-1@peer.example>',
    References: '<hiddenroot@peer.example>',
    'Reply-To': 'hiddenreply@peer.example',
    Date: 'Fri, 20 Nov 2026 07:44:33 +0545',
    'DKIM-Signature': 'v=1; d=peer.example; b=x',
  }
  assert.equal(await hand(world, 'hiddenbounce@peer.example', address, letter(fields, 'Hiddenbody')), '250 2.6.0')
  const [raw = Buffer.of()] = await storedIn(organization, id)
  const { headers } = readHeaders(raw)
  assert.deepEqual(each(headers.fields, 'name'), [
    'received',
    'date',
    'from',
    'to',
    'subject',
    'message-id',
    'mime-version',
    'content-type',
  ])
  assert.match(headers.first('received') ?? '', /^by mx\.mailroom\.test with ESMTP id \w+;\t/)
  assert.equal(headers.first('date'), new Date(world.clock.now()).toUTCString().replace('GMT', '+0000'))
  assert.deepEqual(
    ['from', 'to', 'subject', 'message-id'].map((name) => headers.first(name)),
    ['ann@peer.example', address, '[...]', '<hidden-1@peer.example>'],
  )
  for (const part of [
    'Secretname',
    'Hiddensubject',
    'Hiddenbody',
    'hiddenroot',
    'hiddenreply',
    'hiddenbounce',
    '+0545',
  ]) {
    assert.deepEqual(await tablesWith(world.db, part), [], part)
    assert.ok(!raw.includes(part), part)
  }
  const row = await world.db
    .selectFrom('mail_messages')
    .innerJoin('mail_contents', 'mail_contents.id', 'mail_messages.content_id')
    .innerJoin('mail_folders', 'mail_folders.id', 'mail_messages.folder_id')
    .select(['sender', 'id_hash', 'strong', 'weak', 'filtered_by', 'message_id', 'thread_root', 'preview'])
    .where('mailbox_id', '=', id)
    .executeTakeFirstOrThrow()
  const nothing = Buffer.of()
  assert.deepEqual(
    { ...row },
    {
      ...{ sender: '', id_hash: null, strong: nothing, weak: nothing, filtered_by: null },
      ...{ message_id: null, thread_root: null, preview: '' },
    },
  )
})

test('filters see the message before it is encrypted, and blocks refuse it', async () => {
  const own = await world.organization()
  const { id, address } = await privateMailbox(own, 'filtered')
  await own.request('POST', '/v1/labels', { name: 'Plans' })
  for (const [action, argument] of [['label', 'plans'], ['star'], ['read'], ['move', 'Projects/Apollo']] as const) {
    const filter = { name: action, field: 'subject', op: 'contains', value: 'apollo', action, argument }
    assert.equal((await own.request('POST', '/v1/filters', filter)).status, 201)
  }
  await own.request('POST', '/v1/blocked-senders', { pattern: '@spam.example' })
  assert.equal(await hand(world, sender, address, letter({ Subject: '=?utf-8?q?Ap=6Fllo?=' })), '250 2.6.0')
  assert.equal(await hand(world, sender, address, letter({ From: 'x@spam.example' })), '550 5.7.1')
  const mailbox = { organizationId: own.id, mailboxId: id }
  const { messages } = await listMessages(world.db, mailbox, 'Projects/Apollo', { limit: 10, page: 0 })
  const [{ seen, flagged, keywords } = { seen: false, flagged: false, keywords: [] }, ...others] = messages
  assert.deepEqual([others, seen, flagged, keywords], [[], true, true, ['plans']])
})

test('a message that comes again is kept once, though it is encrypted otherwise each time', async () => {
  const { id, address } = await privateMailbox(organization, 'again')
  const text = letter()
  for (let time = 0; time < 3; time++) assert.equal(await hand(world, sender, address, text), '250 2.6.0')
  assert.equal((await storedIn(organization, id)).length, 1)
})

test('several Private mailboxes each have their own, which no other key opens', async () => {
  const boxes = await Promise.all(['p1', 'p2', 'p3'].map((name) => privateMailbox(organization, name)))
  const addresses = boxes.map(({ address }) => address)
  assert.equal(await hand(world, sender, addresses, letter({}, 'To all')), '250 2.6.0')
  for (const [index, { id, privateKey }] of boxes.entries()) {
    const [raw = Buffer.of()] = await storedIn(organization, id)
    assert.match((await opened(raw, privateKey)).toString(), /To all/)
    await assert.rejects(opened(raw, boxes[(index + 1) % 3]?.privateKey ?? ''))
    for (const other of addresses.filter((_, at) => at !== index)) assert.ok(!raw.includes(other))
  }
})

test('what is stored is what counts against the plan', async () => {
  const { id, address } = await privateMailbox(organization, 'counted')
  const before = await used()
  assert.equal(await hand(world, sender, address, letter({}, 'x'.repeat(10_000))), '250 2.6.0')
  const [raw = Buffer.of()] = await storedIn(organization, id)
  assert.equal((await used()) - before, raw.length)
  const { data } = (await organization.request('GET', '/v1/mailboxes?limit=100')).body
  assert.equal(data.find((one: { id: string }) => one.id === id).storage_used_bytes, raw.length)
})

test('where it cannot be encrypted the sender keeps it, and nothing of it is stored anywhere', async () => {
  const own = await world.organization()
  const ada = await own.mailbox('ada')
  const { id, address } = await privateMailbox(own, 'broken')
  await world.db.updateTable('mailboxes').set({ public_key: 'no key' }).where('id', '=', id).execute()
  const text = letter({}, 'Plainlyvisible')
  for (const to of [[address], [ada.address, address]]) assert.equal(await hand(world, sender, to, text), '451 4.3.0')
  assert.deepEqual([await storedIn(own, ada.id), await storedIn(own, id)], [[], []])
  assert.deepEqual(await tablesWith(world.db, 'Plainlyvisible'), [])
  const { publicKey, privateKey } = await openPgpKey()
  const mended = { public_key: publicKey, public_key_usable_at: new Date() }
  await world.db.updateTable('mailboxes').set(mended).where('id', '=', id).execute()
  assert.equal(await hand(world, sender, [ada.address, address], text), '250 2.6.0')
  const [raw = Buffer.of()] = await storedIn(own, id)
  assert.match((await opened(raw, privateKey)).toString(), /Plainlyvisible\r\n$/)
})

test('12 MiB to three Private mailboxes and a Smart one are stored, each once, and so they are when they come again', async () => {
  const own = await world.organization()
  const ada = await own.mailbox('ada')
  const boxes = await Promise.all(['p1', 'p2', 'p3'].map((name) => privateMailbox(own, name)))
  const to = [...boxes.map(({ address }) => address), ada.address]
  // Without a Message-ID, by which it would be known.
  const text = letter({ 'Message-ID': undefined }, 'A line of a large message.\r\n'.repeat(450_000))
  for (let time = 0; time < 2; time++) assert.equal(await hand(world, sender, to, text), '250 2.6.0')
  for (const { id, privateKey } of boxes) {
    const [raw = Buffer.of(), ...others] = await storedIn(own, id)
    assert.equal(others.length, 0)
    assert.ok((await opened(raw, privateKey)).toString().endsWith(`${text}\r\n`))
  }
  assert.equal((await storedIn(own, ada.id)).length, 1)
})
