import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '#/base/clock/manual.ts'
import { Authenticator } from '#/people/keys/authenticate.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { each } from '#test/world/each.ts'
import { operatorOn, printed } from '#test/world/operator.ts'
import { runCommand } from './run.ts'

const now = Date.UTC(2026, 10, 21, 7, 44)

const database = await databaseOfFile()

const operator = () => operatorOn({ database }, () => now)
const run = (...argv: string[]) => runCommand(argv, operator())
const json = (...argv: string[]) => printed(operator(), ...argv)

test('an organization is created, listed and moved to another plan', async () => {
  const made = await json('org', 'create', ' Acme Inc. ', '--plan', 'team')
  const { id, created_at, ...fields } = made
  assert.deepEqual(fields, { name: 'Acme Inc.', plan: 'team', suspended_at: null })
  assert.ok(id)
  assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.deepEqual((await json('org', 'plan', 'acme inc.', 'business')).plan, 'business')
  assert.deepEqual(await json('org', 'list'), { data: [{ ...made, plan: 'business' }] })
  const { stdout } = await run('org', 'list')
  assert.match(stdout, /^NAME {7}PLAN {6}STATE {2}CREATED {11}ID\nAcme Inc\. {2}business {2}open {3}20/)
})

test('a key is shown once, with all that it may do, and works', async () => {
  await json('org', 'create', 'Keys')
  const options = ['--scopes', 'usage:read', '--name', 'CI', '--expires', '90d'] as const
  const made = await json('key', 'create', '--org', 'keys', ...options)
  const { id, key, prefix, last_four, created_at, ...fields } = made
  assert.deepEqual(fields, {
    ...{ name: 'CI', organization: 'Keys', scopes: ['usage:read'], expires_at: '2027-02-19T07:44:00.000Z' },
    ...{ mailboxes: null, recipients: null, networks: null, requests_per_minute: null },
    ...{ last_used_at: null, revoked_at: null },
  })
  await using authenticator = new Authenticator(database.db, new ManualClock(new Date(now)))
  const client = { address: '127.0.0.1', guessing: false }
  assert.deepEqual([...((await authenticator.identify(key, client))?.scopes ?? [])], ['usage:read'])
  for (const form of [[], ['--json']]) {
    const { stdout } = await run('key', 'list', '--org', 'Keys', ...form)
    assert.ok(stdout.includes(id) && !stdout.includes(key.slice(8, -4)), created_at)
  }
  const [row] = (await json('key', 'list', '--org', 'Keys')).data
  assert.deepEqual(
    [row.prefix, row.last_four, row.status, prefix, last_four],
    [prefix, last_four, 'live', key.slice(0, 8), key.slice(-4)],
  )
})

test('without --json the key is the first line alone, so that it can be cut out', async () => {
  await json('org', 'create', 'Lines')
  const { stdout } = await run('key', 'create', '--org', 'Lines', '--scopes', 'all')
  assert.match(stdout, /^mrk_[0-9A-Za-z]{38}\n\nSave it now/)
  assert.match(stdout, /Scopes: {3}all\nExpires: {2}never\n$/)
})

test('revoking a key is reported, and revoking it twice is no error', async () => {
  await json('org', 'create', 'Revokes')
  const { id } = await json('key', 'create', '--org', 'Revokes', '--scopes', 'all')
  assert.match((await run('key', 'revoke', id)).stdout, /^Revoked the key mrk_....…....\. It stops working within five/)
  const again = await run('key', 'revoke', id)
  assert.match(again.stdout, /^The key mrk_....….... was already revoked, at 2026-11-21 07:44 UTC\.\n$/)
  assert.equal(again.exitCode, 0)
  assert.equal((await json('key', 'revoke', id)).already_revoked, true)
  assert.equal((await json('key', 'list', '--org', 'Revokes')).data[0].status, 'revoked')
})

test('a member is added, listed and removed, by address or id', async () => {
  await json('org', 'create', 'Members')
  const org = ['--org', 'members'] as const
  const added = async (...options: readonly string[]) => {
    const { link, link_expires_at, ...member } = await json('member', 'add', ...org, ...options)
    assert.match(link, /^http:\/\/localhost:\d+\/sign-in#[\w-]{43}$/)
    assert.equal(new Date(link_expires_at).getTime(), now + 72 * 3_600_000)
    return member
  }
  const ada = await added('--email', 'Ada@x.example', '--name', 'Ada', '--role', 'admin')
  const bob = await added('--email', 'bob@x.example')
  assert.deepEqual([ada.role, bob.role, bob.name], ['admin', 'member', ''])
  assert.deepEqual(await json('member', 'list', ...org), { data: [ada, bob] })
  assert.deepEqual(await json('member', 'remove', ...org, 'ada@X.example'), { removed: true, ...ada })
  assert.equal((await json('member', 'remove', ...org, bob.id)).email, 'bob@x.example')
  assert.match((await run('member', 'list', ...org)).stdout, /^"Members" has no members yet\.\n$/)
})

test("a member's own labels, filters and blocks are listed, and removed by name, pattern or id", async () => {
  await json('org', 'create', 'Kept')
  for (const email of ['ada@x.example', 'bob@x.example']) await json('member', 'add', '--org', 'Kept', '--email', email)
  const whose = ['--org', 'Kept', '--member', 'ada@x.example'] as const
  const label = await json('member', 'label', 'add', ...whose, 'Later')
  const filter = ['--field', 'from', '--op', 'is', '--value', 'news@x.example', '--action', 'star'] as const
  const filters = [
    await json('member', 'filter', 'add', 'News', ...whose, ...filter),
    await json('member', 'filter', 'add', 'News', ...whose, ...filter),
  ]
  const block = await json('member', 'block', 'add', ...whose, '@spam.example')
  const listed = async (what: string, member = 'ada@x.example') =>
    (await json('member', what, 'list', '--org', 'Kept', '--member', member)).data
  assert.deepEqual(await listed('label'), [label])
  assert.deepEqual(await listed('filter'), filters)
  assert.deepEqual(await listed('block'), [block])
  for (const what of ['label', 'filter', 'block']) assert.deepEqual(await listed(what, 'bob@x.example'), [], what)
  const { stdout } = await run('member', 'filter', 'list', ...whose)
  assert.match(stdout, /^NAME {2}FIELD {2}OP {2}VALUE .*\nNews {2}from {3}is {2}news@x\.example {2}star {4}- {9}on {5}/)

  const removed = (what: string, given: string, member = 'ada@x.example') =>
    run('member', what, 'remove', given, '--org', 'Kept', '--member', member)
  for (const [what, given] of Object.entries({ label: 'Later', filter: filters[0].id, block: '@spam.example' }))
    assert.equal((await removed(what, given, 'bob@x.example')).exitCode, 1, `another member's ${what}`)
  assert.match((await removed('filter', 'news')).stderr, /^mailroom: 2 filters are named "News"\. Give the id/)
  assert.match((await removed('label', 'later')).stdout, /^Removed the label "Later" of ada@x\.example; later stays/)
  assert.match((await removed('filter', filters[0].id)).stdout, /^Removed the filter "News"/)
  assert.match((await removed('filter', 'NEWS')).stdout, /^Removed the filter "News"/)
  assert.match((await removed('block', '@SPAM.example')).stdout, /no longer blocks @spam\.example/)
  for (const what of ['label', 'filter', 'block']) assert.deepEqual(await listed(what), [], what)
  assert.match((await removed('block', '@spam.example')).stderr, /^mailroom: ada@x\.example has not blocked "@spam/)
})

test('an organization is renamed, to a name that is free', async () => {
  const { id } = await json('org', 'create', 'Old name')
  await json('org', 'create', 'Other')
  const taken = await run('org', 'rename', 'old name', 'OTHER')
  assert.match(taken.stderr, /There is an organization named "OTHER" already/)
  assert.equal((await json('org', 'rename', 'old name', 'OLD NAME')).name, 'OLD NAME')
  const before = (await json('org', 'list')).data.find((one: { id: string }) => one.id === id)
  assert.deepEqual(await json('org', 'rename', 'Old Name', ' New name '), { ...before, name: 'New name' })
  assert.equal((await run('org', 'rename', 'Old name', 'x')).exitCode, 1)
})

test('plans are listed with their organizations, changed, and created', async () => {
  const { data } = await json('plan', 'list')
  assert.deepEqual(each(data.slice(0, 2), 'name'), ['free', 'team'])
  const limits = ['--domains', '2', '--mailboxes', '4', '--sends', '10', '--scheduled', '5'] as const
  assert.match((await run('plan', 'set', 'tiny', ...limits)).stderr, /There is no plan "tiny" yet\. A new one takes/)
  const tiny = await json('plan', 'set', 'tiny', ...limits, '--storage', '1GiB', '--scheduled-storage', '1048577')
  assert.deepEqual(tiny, {
    ...{ name: 'tiny', domains: 2, mailboxes: 4, storage_bytes: 2 ** 30, sends_per_day: 10 },
    ...{ scheduled_messages: 5, scheduled_bytes: 2 ** 20 + 1 },
  })
  await json('org', 'create', 'On tiny', '--plan', 'tiny')
  assert.deepEqual(await json('plan', 'set', 'tiny', '--mailboxes', '3'), { ...tiny, mailboxes: 3 })
  const shown = (await run('plan', 'list')).stdout
  assert.match(shown, /^NAME +DOMAINS +MAILBOXES +STORAGE +SENDS A DAY +SCHEDULED +SCHEDULED STORAGE +ORGANIZATIONS\n/)
  assert.match(shown, /^tiny +2 +3 +1GiB +10 +5 +1048577 +1$/m)
  for (const [given, refused] of [
    [['plan', 'set', 'tiny'], /There is nothing to change/],
    [['plan', 'set', 'Tiny!', '--domains', '1'], /The name of a plan has/],
    [['plan', 'set', 'tiny', '--domains', '-1'], /--domains/],
    [['plan', 'set', 'tiny', '--storage', '5 parsecs'], /--storage takes octets/],
  ] as const)
    assert.match((await run(...given)).stderr, refused)
})

for (const [line, exitCode, message] of [
  ['org create', 2, /^mailroom: NAME is missing\nUsage: mailroom org create NAME/],
  [
    'org create x --plan huge',
    1,
    /^mailroom: No plan named "huge"; there are: free, tiny, team, business, self_hosted\n$/,
  ],
  ['mailbox delete nobody@nowhere.example', 1, /^mailroom: No mailbox "nobody@nowhere\.example"/],
  ['key list --org nope', 1, /^mailroom: No organization named "nope"; there are: .*Refuses/],
  ['key create --org Refuses --scopes labels', 1, /^mailroom: No scope named "labels"; there are: all, labels:read/],
  ['key create --org Refuses --scopes all --expires soon', 1, /^mailroom: "soon" is no lifetime/],
  ['key revoke 7', 1, /^mailroom: No such key: 7\n$/],
  ['member add --org Refuses --email x', 1, /^mailroom: "x" is not an e-mail address\n$/],
  ['member add --org Refuses --email a@b.example --role boss', 1, /role must be one of owner, admin, member/],
  ['member remove --org Refuses x@y.example', 1, /^mailroom: No member "x@y.example" in this organization\n$/],
  ['member block add --org Refuses --member x@y.example z', 1, /whole address or a domain/],
] as const)
  test(`"${line}" ends with ${exitCode} and a sentence on stderr`, async () => {
    await run('org', 'create', 'Refuses')
    const refused = await run(...line.split(' '))
    assert.deepEqual([refused.exitCode, refused.stdout], [exitCode, ''])
    assert.match(refused.stderr, message)
  })

test('migrate lists the applied migrations', async () => {
  const { data } = await json('migrate')
  assert.equal(data[0].name, '001-installation.sql')
})
