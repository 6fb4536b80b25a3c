import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHeaders } from '#/formats/mime/header/headers.ts'
import { each } from '#test/world/each.ts'
import { hand, letter, newestIn } from '#test/world/letters/letter.ts'
import { opened, privateMailbox, storedIn } from '#test/world/mail/private-mailbox.ts'
import { tablesWith } from '#test/world/observe/tables-with.ts'
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

test('what is stored is what counts against the plan', async () => {
  const { id, address } = await privateMailbox(organization, 'counted')
  const before = await used()
  assert.equal(await hand(world, sender, address, letter({}, 'x'.repeat(10_000))), '250 2.6.0')
  const [raw = Buffer.of()] = await storedIn(organization, id)
  assert.equal((await used()) - before, raw.length)
  const { data } = (await organization.request('GET', '/v1/mailboxes?limit=100')).body
  assert.equal(data.find((one: { id: string }) => one.id === id).storage_used_bytes, raw.length)
})

test('12 MiB to three Private mailboxes, each with a key of its own, and a Smart one are stored once, also when they come again', async () => {
  const own = await world.organization()
  const ada = await own.mailbox('ada')
  const boxes = await Promise.all(['p1', 'p2', 'p3'].map((name) => privateMailbox(own, name)))
  const to = [...boxes.map(({ address }) => address), ada.address]
  // Without a Message-ID, by which it would be known.
  const text = letter({ 'Message-ID': undefined }, 'A line of a large message.\r\n'.repeat(450_000))
  for (let time = 0; time < 2; time++) assert.equal(await hand(world, sender, to, text), '250 2.6.0')
  for (const [at, { id, privateKey }] of boxes.entries()) {
    const [raw = Buffer.of(), ...others] = await storedIn(own, id)
    assert.equal(others.length, 0)
    await assert.rejects(opened(raw, boxes[(at + 1) % 3]?.privateKey ?? ''))
    for (const other of to.filter((_, index) => index !== at)) assert.ok(!raw.includes(other))
    assert.ok((await opened(raw, privateKey)).toString().endsWith(`${text}\r\n`))
  }
  assert.equal((await storedIn(own, ada.id)).length, 1)
})
