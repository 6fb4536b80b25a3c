import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import { byOperator } from '#/base/audit/actor.ts'
import { Caller } from '#/http/access/caller.ts'
import { createMailbox } from '#/mail/mailboxes/create.ts'
import { createOrganization } from '#/people/organizations/register.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { insertVerifiedDomain } from '#test/world/organization/verified-domain.ts'
import { assertStillSender, senderFor, senderKey, sendersOf } from './sender.ts'

let organizationId: string
let id: string
const [home, own] = ['home.example', 'own.example']
const [address, alias] = [`ada@${home}`, `sales@${own}`]
const database = await databaseOfFile()
const { db } = database
const mailbox = (localPart: string) => {
  const wanted = { organizationId, domain: home, localPart, name: 'Ada' }
  return db.transaction().execute((tx) => createMailbox(tx, wanted, byOperator))
}

beforeEach(async () => {
  await db.deleteFrom('organizations').execute()
  organizationId = (await createOrganization(db, { name: randomUUID(), plan: 'team' }, byOperator)).id
  for (const domain of [home, own]) await insertVerifiedDomain(db, organizationId, domain)
  id = (await mailbox('ada')).id
  const row = { address: alias, organization_id: organizationId, mailbox_id: id, alias: true }
  await db.insertInto('addresses').values(row).execute()
})

const sender = (from: string, name = '') => senderFor(db, Caller.unrestricted(organizationId), { address: from, name })
const still = async (from: string) => {
  const message = { organizationId, mailboxId: id, sender: from }
  return assertStillSender((await sendersOf(db, [message])).get(senderKey(message)), from)
}

test('a mailbox sends under its address and its aliases, each with the domain that signs, and a name', async () => {
  assert.deepEqual(await sender(address), { mailboxId: id, address, domain: home, name: 'Ada' })
  assert.deepEqual(await sender(alias.toUpperCase(), 'A.'), { mailboxId: id, address: alias, domain: own, name: 'A.' })
  assert.deepEqual(await still(alias), { address: alias, domain: own })
})

test('nobody sends under an address that their organization does not have', async () => {
  for (const from of [`nobody@${home}`, 'no address']) await assert.rejects(sender(from), { code: 'not_found' })
  await assert.rejects(senderFor(db, Caller.unrestricted(randomUUID()), { address, name: '' }), { code: 'not_found' })
  await assert.rejects(still(`bob@${home}`), { field: 'from', message: `The mailbox bob@${home} is gone` })
  assert.equal((await sendersOf(db, [{ organizationId, mailboxId: null, sender: address }])).size, 0)
})

const suspended_at = new Date()
for (const [what, from, change, message] of [
  ['a mailbox', address, () => db.updateTable('mailboxes').set({ suspended_at }), `${address} is suspended`],
  ['the domain of a mailbox', alias, () => suspendDomain(home), `${home} is suspended`],
  ['the domain of an alias', alias, () => suspendDomain(own), `${own} is suspended`],
] as const)
  test(`while ${what} is suspended nothing is sent, and what was accepted before is not either`, async () => {
    await change().execute()
    for (const refused of [sender, still]) await assert.rejects(refused(from), { field: 'from', message })
  })

test('while only the domain of an alias is suspended the mailbox sends under its own address', async () => {
  await suspendDomain(own).execute()
  assert.equal((await sender(address)).address, address)
})

test('nothing is sent under a domain that is not verified, nor from a Private mailbox', async () => {
  await db.updateTable('domains').set({ status: 'pending' }).where('domain', '=', own).execute()
  for (const refused of [sender, still])
    await assert.rejects(refused(alias), { field: 'from', message: `${own} is not verified` })
  const mailboxOf = (await sendersOf(db, [{ organizationId, mailboxId: id, sender: address }])).values().next().value
  assert.ok(mailboxOf)
  assert.throws(() => assertStillSender({ ...mailboxOf, kind: 'private' }, address), {
    field: 'from',
    message: `${address} is a Private mailbox: no mail can be sent from it here`,
  })
})

function suspendDomain(domain: string) {
  return db.updateTable('domains').set({ suspended_at }).where('domain', '=', domain)
}
