// On both databases: one mailbox is read and written at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCommand } from '#/app/cli/run.ts'
import { byOperator } from '#/base/audit/actor.ts'
import { createMailbox } from '#/mail/mailboxes/create.ts'
import { discrepancies } from '#test/faults/letters/stored.ts'
import { storeMessages } from '#test/mail/threads/store-messages.ts'
import { hand, letter, subjectsIn } from '#test/world/letters/letter.ts'
import { operatorOn, printed } from '#test/world/operator.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()

function operate(argv: readonly string[], tell?: (progress: string) => void) {
  return runCommand(argv, operatorOn(world), tell)
}

const json = (...argv: string[]) => printed(operatorOn(world), ...argv)

const sender = 'ann@peer.example'

test('mailboxes are listed, those of one organization or all', async () => {
  const one = await world.organization()
  const other = await world.organization()
  const ada = await one.mailbox('ada', { name: 'Ada' })
  await other.mailbox('bob')
  await hand(world, sender, ada.address)
  const { data } = await json('mailbox', 'list', '--org', one.name)
  const shown = (await one.request('GET', '/v1/mailboxes')).body.data
  assert.deepEqual(data, [{ ...shown[0], organization: one.name }])
  assert.ok(data[0].storage_used_bytes > 0)
  const all = (await json('mailbox', 'list')).data.map(({ address }: { address: string }) => address)
  for (const address of [ada.address, `bob@${other.domain}`]) assert.ok(all.includes(address))
  const { stdout } = await operate(['mailbox', 'list', '--org', one.name])
  assert.match(stdout, /^ADDRESS +NAME +ORGANIZATION +KIND +STATE +MIB +CREATED +ID\nada@/)
})

test('a suspended mailbox and its aliases accept no mail until it is resumed, and it can be read', async () => {
  const { organization: own, address } = await world.mailbox('ada')
  assert.equal(await hand(world, sender, address, letter({ Subject: 'Before' })), '250 2.6.0')
  assert.equal((await json('mailbox', 'suspend', address.toUpperCase())).suspended, true)
  assert.equal(await hand(world, sender, `postmaster@${own.domain}`), '550 5.2.1')
  assert.deepEqual(await subjectsIn(own, address), ['Before'])
  assert.equal((await own.request('GET', '/v1/mailboxes')).body.data[0].suspended, true)
  assert.equal((await operate(['mailbox', 'suspend', address])).stdout, `${address} was already suspended.\n`)
  assert.equal((await json('mailbox', 'resume', address)).suspended, false)
  assert.equal(await hand(world, sender, address), '250 2.6.0')
})

test('a deleted mailbox is gone with its mail, and its room, place and address can be used again', async () => {
  const own = await world.organization({ plan: 'free' })
  const ada = await own.mailbox('ada')
  const bob = await own.mailbox('bob')
  await own.mailbox('cho')
  for (const to of [[ada.address], [ada.address, bob.address]])
    await hand(world, sender, to, letter({}, 'x'.repeat(5_000)))
  await own.request('PATCH', `/v1/messages?mailbox=${ada.address}`, { uids: [1], folder: 'Projects/Apollo' })
  const threads = `/v1/threads?mailbox=${ada.address}`
  assert.equal((await own.request('GET', threads)).body.total, 1)
  const deleted = await json('mailbox', 'delete', ada.address)
  assert.deepEqual(deleted, { deleted: true, id: ada.id, address: ada.address, messages: 2 })
  assert.equal((await own.request('GET', threads)).status, 404)
  assert.equal(await hand(world, sender, ada.address), '550 5.1.1')
  assert.deepEqual(await rowsOf(own, ada.id), { mailboxes: 0, addresses: 0, folders: 0 })
  const usage = (await own.request('GET', '/v1/usage')).body
  const { data } = (await own.request('GET', '/v1/mailboxes')).body
  assert.equal(usage.mailboxes.used, 2)
  assert.equal(usage.storage.used_bytes, data[0].storage_used_bytes)
  assert.equal((await subjectsIn(own, bob.address)).length, 1)
  assert.deepEqual(await discrepancies(world.db), [])

  const anew = await own.mailbox('ada')
  assert.notEqual(anew.id, ada.id)
  assert.equal((await own.request('GET', threads)).body.total, 0)
  assert.equal(await hand(world, sender, ada.address), '250 2.6.0')
})

test('postmaster@ and abuse@ go on to the oldest mailbox that is left, one that takes mail if there is one', async () => {
  const own = await world.organization()
  for (const name of ['ada', 'bob', 'cho']) await own.mailbox(name)
  const aliases = async () => {
    const { data } = (await own.request('GET', '/v1/mailboxes')).body
    return Object.fromEntries(
      data.map((one: { local_part: string; aliases: [] }) => [one.local_part, one.aliases.length]),
    )
  }
  await json('mailbox', 'suspend', `bob@${own.domain}`)
  await json('mailbox', 'delete', `ada@${own.domain}`)
  assert.deepEqual(await aliases(), { bob: 0, cho: 2 })
  assert.equal(await hand(world, sender, `postmaster@${own.domain}`), '250 2.6.0')
  await json('mailbox', 'delete', `cho@${own.domain}`)
  assert.deepEqual(await aliases(), { bob: 2 })
  await json('mailbox', 'delete', `bob@${own.domain}`)
  assert.equal(await hand(world, sender, `postmaster@${own.domain}`), '550 5.1.1')
  await own.mailbox('dee')
  assert.deepEqual(await aliases(), { dee: 2 })
})

test('a large mailbox goes while mail comes in for another, and while it is read as conversations', async () => {
  const { organization: own, address, id } = await world.mailbox('ada')
  const bob = await own.mailbox('bob')
  const many = Array.from({ length: 3_000 }, (_, n) => ({
    ...{ headers: `Message-ID: <${n}@x>\r\n`, sender, seen: false, receivedAt: Date.now() },
  }))
  await storeMessages(world, { organizationId: own.id, mailboxId: id }, many)
  const progressLines: string[] = []
  const states = new Set<number>()
  let over = false
  let received = 0
  const meanwhile = async () => {
    for (; !over; received++) {
      assert.equal(await hand(world, sender, bob.address), '250 2.6.0')
      states.add((await own.request('GET', `/v1/threads?mailbox=${address}&limit=1`)).status)
    }
  }
  const both = meanwhile()
  const { stdout, stderr } = await operate(['mailbox', 'delete', address], (progress) => progressLines.push(progress))
  over = true
  await both
  assert.deepEqual([stdout, stderr], [`Deleted ${address} and its 3,000 messages.\n`, ''])
  for (const progress of progressLines) assert.match(progress, /^Deleted [\d,]+ of 3,000 messages in ada@/)
  assert.deepEqual(states.difference(new Set([200, 404])), new Set())
  assert.deepEqual(await rowsOf(own, id), { mailboxes: 0, addresses: 0, folders: 0 })
  const { body } = await own.request('GET', `/v1/messages?mailbox=${bob.address}`)
  assert.equal(body.total, received)
  assert.deepEqual(await discrepancies(world.db), [])
})

test('an address that two organizations have had is deleted where it is meant', async () => {
  const [one, two] = [await world.organization(), await world.organization()]
  const { address } = await one.mailbox('ada')
  const set = (domain: string, change: object) =>
    world.db.updateTable('domains').set(change).where('domain', '=', domain).execute()
  await set(one.domain, { status: 'failed', ownership_verified_at: null })
  await set(two.domain, { domain: one.domain })
  const named = { organizationId: two.id, domain: one.domain, localPart: 'ada' }
  await world.db.transaction().execute((tx) => createMailbox(tx, named, byOperator))
  const refused = await operate(['mailbox', 'delete', address])
  assert.match(refused.stderr, /2 organizations have a mailbox ada@.*Name one with --org/)
  await json('mailbox', 'delete', address, '--org', one.name)
  assert.equal((await json('mailbox', 'list', '--org', two.name)).data.length, 1)
})

test('a mailbox is found by its address in any form', async () => {
  const organization = await world.organization()

  const { address } = await organization.mailbox('ada')
  const { body: mailbox } = await organization.request('GET', `/v1/mailboxes/${encodeURIComponent(address)}`)
  assert.equal(mailbox.address, address)
  const { data } = (await organization.request('GET', '/v1/mailboxes')).body
  assert.deepEqual(data, [mailbox])
  assert.deepEqual((await organization.request('GET', `/v1/mailboxes/${address.toUpperCase()}`)).body, mailbox)
  for (const nobody of [`postmaster@${organization.domain}`, `bob@${organization.domain}`, 'ada', '%00@x.test'])
    assert.equal((await organization.request('GET', `/v1/mailboxes/${nobody}`)).status, 404, nobody)
})

async function rowsOf({ id }: TestOrganization, mailboxId: string) {
  const { db } = world
  const count = async (table: 'mailboxes' | 'addresses' | 'mail_folders', column: 'id' | 'mailbox_id') => {
    const query = db.selectFrom(table).select('organization_id').where('organization_id', '=', id)
    return (await query.where(db.dynamic.ref(column), '=', mailboxId).execute()).length
  }
  return {
    mailboxes: await count('mailboxes', 'id'),
    addresses: await count('addresses', 'mailbox_id'),
    folders: await count('mail_folders', 'mailbox_id'),
  }
}
