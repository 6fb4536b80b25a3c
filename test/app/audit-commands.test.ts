import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commands } from '#/app/cli/commands.ts'
import { runCommand } from '#/app/cli/run.ts'
import { byService } from '#/base/audit/actor.ts'
import { entriesOf } from '#/base/audit/queries.ts'
import { createMailbox } from '#/mail/mailboxes/create.ts'
import { organizationByName } from '#/people/organizations/queries.ts'
import { each } from '#test/world/each.ts'
import { secret } from '#test/world/installation.ts'
import { operatorOn, printed } from '#test/world/operator.ts'
import { giveKeys } from '#test/world/organization/signing-domain.ts'
import { insertVerifiedDomain } from '#test/world/organization/verified-domain.ts'
import { World } from '#test/world/world.ts'

/** They change no settings of an organization. */
const noSettings = new Set([
  ...['audit', 'mailbox access', 'doctor', 'migrate', 'backup', 'export', 'import', 'secret rotate'],
  ...['doctor --counters', 'queue', 'queue retry', 'queue retry --all', 'queue drop'],
  ...commands.map(({ name }) => name).filter((name) => name.endsWith(' list')),
])

const domain = 'acme.test'
const filter = ['--field', 'from', '--op', 'is', '--value', 'a@b.test', '--action', 'star']
const hers = ['--org', 'Acme', '--member', 'ada@acme.test']

/** Commands in an order in which each succeeds, with what each leaves in the audit trail of "Acme" or the installation. */
const story: readonly (readonly [command: string, given: readonly string[], ...left: string[]])[] = [
  ['plan set', ['small', ...limits(1)], 'plan.created'],
  ['plan set', ['small', ...limits(2)], 'plan.changed'],
  ['org create', ['Acme', '--plan', 'team'], 'organization.created'],
  ['org plan', ['Acme', 'business'], 'organization.plan_changed'],
  ['org plan', ['Acme', 'business']],
  ['key create', ['--org', 'Acme', '--scopes', 'all', '--name', 'Shop'], 'key.created'],
  ['key revoke', ['KEY'], 'key.revoked'],
  ['key revoke', ['KEY']],
  ['member add', ['--org', 'Acme', '--email', 'ada@acme.test'], 'member.added'],
  ['member invite', ['ada@acme.test', '--org', 'Acme'], 'member.invited'],
  ['member role', ['ada@acme.test', 'admin', '--org', 'Acme'], 'member.role_changed'],
  ['member role', ['ada@acme.test', 'admin', '--org', 'Acme']],
  ['member label add', ['Mine', ...hers], 'label.created'],
  ['member label remove', ['Mine', ...hers], 'label.deleted'],
  ['member filter add', ['Mine', ...filter, ...hers], 'filter.created'],
  ['member filter remove', ['Mine', ...hers], 'filter.deleted'],
  ['member block add', ['@spam.test', ...hers], 'blocked_sender.created'],
  ['member block add', ['@spam.test', ...hers]],
  ['member block remove', ['@spam.test', ...hers], 'blocked_sender.deleted'],
  ['member add', ['--org', 'Acme', '--email', 'eve@far.test'], 'member.added'],
  ['mailbox share', ['ada@acme.test', '--member', 'eve@far.test'], 'mailbox.access_changed'],
  ['mailbox share', ['ada@acme.test', '--member', 'eve@far.test', '--level', 'read']],
  ['mailbox share', ['ada@acme.test', '--member', 'eve@far.test', '--level', 'send'], 'mailbox.access_changed'],
  ['mailbox unshare', ['ada@acme.test', '--member', 'eve@far.test'], 'mailbox.access_changed'],
  ['member remove', ['ada@acme.test', '--org', 'Acme'], 'member.removed'],
  ['domain suspend', ['acme.test'], 'domain.suspended'],
  ['domain suspend', ['acme.test']],
  ['domain resume', ['acme.test'], 'domain.resumed'],
  ['domain catch-all', ['acme.test', 'ada@acme.test'], 'domain.catch_all_changed'],
  ['domain catch-all', ['acme.test', 'off'], 'domain.catch_all_changed'],
  ['domain catch-all', ['acme.test', 'off']],
  ['domain rotate-dkim', ['acme.test'], 'domain.keys_rotated'],
  ['mailbox suspend', ['ada@acme.test'], 'mailbox.suspended'],
  ['mailbox resume', ['ada@acme.test'], 'mailbox.resumed'],
  ['mailbox resume', ['ada@acme.test']],
  ['mailbox password', ['ada@acme.test'], 'mailbox.password_changed'],
  ['mailbox alias add', ['ada@acme.test', 'info@acme.test'], 'alias.added'],
  ['mailbox alias add', ['ada@acme.test', 'info@acme.test']],
  ['mailbox alias remove', ['info@acme.test'], 'alias.removed'],
  ['mailbox delete', ['bob@acme.test'], 'mailbox.suspended', 'mailbox.deleted'],
  ['org suspend', ['Acme'], 'organization.suspended'],
  ['org resume', ['Acme'], 'organization.resumed'],
  ['org rename', ['Acme', 'Acme Two'], 'organization.renamed'],
]

function limits(count: number): string[] {
  const all = { domains: count, mailboxes: 1, storage: '1MiB', sends: 1, scheduled: 1, 'scheduled-storage': '1MiB' }
  return Object.entries(all).flatMap(([name, value]) => [`--${name}`, String(value)])
}

/** A domain with keys and two mailboxes, which no command makes. */
async function furnished(organizationId: string): Promise<string> {
  await insertVerifiedDomain(world.db, organizationId, domain)
  await giveKeys(world.db, secret, { organizationId, domain })
  for (const localPart of ['ada', 'bob'])
    await world.db.transaction().execute((tx) => createMailbox(tx, { organizationId, domain, localPart }, byService))
  return organizationId
}

const world = await World.ofFile()

const operator = () => operatorOn(world, () => world.clock.now())

test('every command is known to change settings or not', () => {
  const known = new Set([...noSettings, ...story.map(([name]) => name), 'org delete'])
  assert.deepEqual([...known].sort(), commands.map(({ name }) => name).sort())
})

test('each command that changes settings leaves its entries, one that finds nothing to change leaves none, and no secret is in any', async () => {
  const secrets: string[] = []
  let key = ''
  let organizationId: string | undefined
  const trail = async () => [
    ...(organizationId === undefined ? [] : await entriesOf(world.db, organizationId, {}, 1_000)),
    ...(await entriesOf(world.db, null, {}, 1_000)),
  ]
  for (const [name, given, ...left] of story) {
    const known = new Set((await trail()).map(({ id }) => id))
    const value = await printed(operator(), ...name.split(' '), ...given.map((word) => (word === 'KEY' ? key : word)))
    if (name === 'org create') organizationId = await furnished(String(value.id))
    if (name === 'key create') [key] = [String(value.id), secrets.push(value.key)]
    if (name === 'mailbox password') secrets.push(value.password)
    const fresh = (await trail()).filter(({ id }) => !known.has(id))
    const own = fresh.filter(({ actor }) => actor.kind === 'operator').reverse()
    assert.deepEqual(each(own, 'action'), left, name)
    for (const { before, after, action } of own)
      if (action !== 'mailbox.password_changed') assert.notDeepEqual(before, after, name)
  }
  assert.equal(secrets.length, 2)
  const all = JSON.stringify(await trail())
  for (const made of secrets) assert.ok(!all.includes(made))
})

test('the entries of a deleted organization are deleted, and one stays that does not name it', async () => {
  const { id } = await printed(operator(), 'org', 'create', 'Gone')
  assert.equal((await entriesOf(world.db, id, {}, 10)).length, 1)
  await printed(operator(), 'org', 'delete', 'Gone', '--confirm', 'Gone')
  assert.equal(await organizationByName(world.db, 'Gone'), undefined)
  assert.deepEqual(await entriesOf(world.db, id, {}, 10), [])
  const [entry] = await entriesOf(world.db, null, {}, 1)
  assert.partialDeepStrictEqual(entry, {
    action: 'organization.deleted',
    item: { id: null, name: '' },
    before: { plan: 'free', mailboxes: 0 },
    after: null,
  })
})

test('mailroom audit shows entries as a table, newest first, and as JSON', async () => {
  const organization = await world.organization()
  await organization.request('POST', '/v1/labels', { name: 'Later', colour: 'red' })
  const { id } = (await organization.request('GET', '/v1/labels')).body.data[0]
  await organization.request('PATCH', `/v1/labels/${id}`, { colour: 'blue' })
  const audit = (...given: string[]) => runCommand(['audit', '--org', organization.name, ...given], operator())
  const [headings = '', first = '', second = ''] = (await audit()).stdout.split('\n')
  assert.match(headings, /^TIME +WHO +FROM +ACTION +ITEM +CHANGE +ID$/)
  assert.match(first, /mrk_.{4}….{4} test +127\.0\.0\.1 +label\.changed +Later +colour: "red" → "blue" +\d+$/)
  assert.match(second, /label\.created +Later +colour: "red", keyword: "later", name: "Later"/)
  const all = (await printed(operator(), 'audit', '--org', organization.name)).data
  const [newest, ...older] = all
  const page = await printed(operator(), 'audit', '--org', organization.name, '--limit', '1')
  assert.deepEqual(page.data, [newest])
  const next = await printed(operator(), 'audit', '--org', organization.name, '--before', String(newest.id))
  assert.deepEqual(next.data, older)
  for (const [given, count] of [
    [['--action', 'label.changed'], 1],
    [['--actor', 'key'], 2],
    [['--since', '2999-01-01'], 0],
  ] as const)
    assert.equal((await printed(operator(), 'audit', '--org', organization.name, ...given)).data.length, count)
})

for (const [option, value, message] of [
  ['--action', 'lable', /No action "lable"; there are: label\.created, /],
  ['--since', 'yesterday', /--since takes a day or a time/],
  ['--since', '2026-13-01', /--since takes a day or a time/],
  ['--limit', '0', /--limit takes a whole number from 1 to 1000/],
  ['--before', 'x', /--before takes a whole number/],
] as const)
  test(`mailroom audit refuses ${option} ${value}`, async () => {
    const { exitCode, stderr } = await runCommand(['audit', option, value], operator())
    assert.equal(exitCode, 1)
    assert.match(stderr, message)
  })
