import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byOperator } from '#/base/audit/actor.ts'
import { createMailbox } from '#/mail/mailboxes/create.ts'
import { createOrganization } from '#/people/organizations/register.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { operatorOn, printed } from '#test/world/operator.ts'
import { insertVerifiedDomain } from '#test/world/organization/verified-domain.ts'
import { runCommand } from '../run.ts'

const database = await databaseOfFile()
const { db } = database
const { id: organizationId } = await createOrganization(db, { name: 'Acme', plan: 'team' }, byOperator)
const domain = 'acme.test'
const mailboxes = await db.transaction().execute(async (tx) => {
  await insertVerifiedDomain(tx, organizationId, domain)
  const made = []
  for (const localPart of ['ada', 'bob'])
    made.push(await createMailbox(tx, { organizationId, domain, localPart }, byOperator))
  return made.map(({ id, address }) => ({ id, address }))
})

const create = ['key', 'create', '--org', 'Acme', '--scopes', 'all']
const run = (...argv: string[]) => runCommand(argv, operatorOn({ database }))
const json = (...argv: string[]) => printed(operatorOn({ database }), ...argv)

test('a key is restricted as it is made, and lists say so', async () => {
  const [ada, bob] = mailboxes
  const given = [
    ...['--mailboxes', 'bob@acme.test, Ada@Acme.test,ada@acme.test', '--recipients', '@There.example,bob@else.example'],
    ...['--networks', '192.0.2.0/24,2001:DB8::/32', '--rate', '60'],
  ]
  const [recipients, networks] = [
    ['@there.example', 'bob@else.example'],
    ['192.0.2.0/24', '2001:db8::/32'],
  ]
  const restrictions = { mailboxes: [bob, ada], recipients, networks, requests_per_minute: 60 }
  const { mailbox_ids, id, ...key } = await json(...create, ...given)
  assert.partialDeepStrictEqual(key, restrictions)
  assert.equal(mailbox_ids, undefined)

  const made = (await run(...create, ...given)).stdout
  for (const line of [
    ...['mailboxes bob@acme.test,ada@acme.test', 'recipients @there.example,bob@else.example'],
    ...['networks 192.0.2.0/24,2001:db8::/32', '60 requests a minute'],
  ])
    assert.ok(made.includes(`\nOnly:     ${line}`), made)

  await database.db.deleteFrom('mailboxes').where('address', '=', 'bob@acme.test').execute()
  const row = (await json('key', 'list', '--org', 'Acme')).data.find((key: { id: string }) => key.id === id)
  assert.deepEqual(row.mailboxes, [{ id: bob?.id, address: null }, ada])
  const shown = (await run('key', 'list', '--org', 'Acme')).stdout
  const all = `mailboxes ${bob?.id} (deleted),ada@acme.test; recipients @there.example,bob@else.example; networks 192.0.2.0/24,2001:db8::/32; 60 requests a minute`
  assert.ok(shown.includes(all), shown)
  assert.deepEqual((await json('key', 'revoke', id)).mailboxes, row.mailboxes)
})

const postmaster = 'postmaster@acme.test'
for (const [option, value, message] of [
  ['--mailboxes', 'eve@acme.test', /The organization "Acme" has no mailbox "eve@acme\.test"\. `mailroom mailbox/],
  ['--mailboxes', `ada@acme.test,${postmaster}`, /has no mailbox "postmaster@acme\.test"\. .* an alias does not count/],
  ['--mailboxes', 'ada', /has no mailbox "ada"/],
  ['--mailboxes', '', /^mailroom: --mailboxes has an empty entry/],
  ['--recipients', 'there.example', /^mailroom: "there\.example" is no recipient: give .*@example\.net\n$/],
  ['--networks', '192.0.2.0/33', /^mailroom: "192\.0\.2\.0\/33" is no network: give/],
  ['--networks', '192.0.2.7/24', /"192\.0\.2\.7\/24" could be the network or the address\. Write the first/],
  ['--rate', '600', /^mailroom: "600" is no rate: give the requests a minute, from 1 to 599\n$/],
] as const)
  test(`${option} "${value}" makes no key, and a sentence says why`, async () => {
    const before = (await json('key', 'list', '--org', 'Acme')).data.length
    const refused = await run(...create, option, value)
    assert.deepEqual([refused.exitCode, refused.stdout], [1, ''])
    assert.match(refused.stderr, message)
    assert.equal((await json('key', 'list', '--org', 'Acme')).data.length, before)
  })
