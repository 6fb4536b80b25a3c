import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Database } from '#/db/open.ts'
import { Authenticator } from '#/keys/authenticate.ts'
import { testDatabase } from '../../test/database.ts'
import { operatorOn, printed } from '../../test/operator.ts'
import { runCommand } from './run.ts'

const now = Date.UTC(2026, 10, 21, 7, 44)

let database: Database
before(async () => {
  database = await testDatabase()
})
after(() => database[Symbol.asyncDispose]())

const operator = () => operatorOn({ database }, () => now)
const run = (...argv: string[]) => runCommand(argv, operator())
const json = (...argv: string[]) => printed(operator(), ...argv)

test('an organization is made, listed and put on another plan', async () => {
  const made = await json('org', 'create', ' Acme Inc. ', '--plan', 'team')
  assert.deepEqual({ ...made, id: 0, created_at: 0 }, { id: 0, name: 'Acme Inc.', plan: 'team', created_at: 0 })
  assert.match(made.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.deepEqual((await json('org', 'plan', 'acme inc.', 'business')).plan, 'business')
  assert.deepEqual(await json('org', 'list'), { data: [{ ...made, plan: 'business' }] })
  const { stdout } = await run('org', 'list')
  assert.match(stdout, /^NAME {7}PLAN {6}CREATED {11}ID\nAcme Inc\. {2}business {2}20/)
})

test('a key is shown once, with all that it may do, and works', async () => {
  await json('org', 'create', 'Keys')
  const made = await json(
    'key',
    'create',
    '--org',
    'keys',
    '--scopes',
    'usage:read',
    '--name',
    'CI',
    '--expires',
    '90d',
  )
  assert.deepEqual(
    { ...made, id: 0, key: 0, prefix: 0, last_four: 0, created_at: 0 },
    {
      id: 0,
      key: 0,
      name: 'CI',
      organization: 'Keys',
      prefix: 0,
      last_four: 0,
      scopes: ['usage:read'],
      created_at: 0,
      expires_at: '2027-02-19T07:44:00.000Z',
      last_used_at: null,
      revoked_at: null,
    },
  )
  await using authenticator = new Authenticator(database.db, () => now)
  assert.deepEqual([...((await authenticator.identify(made.key))?.scopes ?? [])], ['usage:read'])
  for (const listed of [
    await run('key', 'list', '--org', 'Keys'),
    await run('key', 'list', '--org', 'Keys', '--json'),
  ]) {
    assert.ok(listed.stdout.includes(made.id))
    assert.ok(!listed.stdout.includes(made.key.slice(8, -4)))
  }
  const [row] = (await json('key', 'list', '--org', 'Keys')).data
  assert.deepEqual([row.prefix, row.last_four, row.status], [made.key.slice(0, 8), made.key.slice(-4), 'live'])
})

test('without --json the key is the first line alone, so that it can be cut out', async () => {
  await json('org', 'create', 'Lines')
  const { stdout } = await run('key', 'create', '--org', 'Lines', '--scopes', 'all')
  assert.match(stdout, /^mrk_[0-9A-Za-z]{38}\n\nKeep it now/)
  assert.match(stdout, /Scopes: {3}all\nExpires: {2}never\n$/)
})

test('revoking a key is said, and revoking it twice is no error', async () => {
  await json('org', 'create', 'Revokes')
  const { id } = await json('key', 'create', '--org', 'Revokes', '--scopes', 'all')
  assert.match((await run('key', 'revoke', id)).stdout, /^Revoked the key mrk_....…....\. It stops working within five/)
  const again = await run('key', 'revoke', id)
  assert.match(again.stdout, /^The key mrk_....….... was revoked before, at 2026-11-21 07:44 UTC\.\n$/)
  assert.equal(again.exitCode, 0)
  assert.equal((await json('key', 'revoke', id)).already_revoked, true)
  assert.equal((await json('key', 'list', '--org', 'Revokes')).data[0].status, 'revoked')
})

test('a member is added, listed and removed, by address or id', async () => {
  await json('org', 'create', 'Members')
  const org = ['--org', 'members'] as const
  const ada = await json('member', 'add', ...org, '--email', 'Ada@x.example', '--name', 'Ada', '--role', 'owner')
  const bob = await json('member', 'add', ...org, '--email', 'bob@x.example')
  assert.deepEqual([ada.role, bob.role, bob.name], ['owner', 'member', ''])
  assert.deepEqual(await json('member', 'list', ...org), { data: [ada, bob] })
  assert.deepEqual(await json('member', 'remove', ...org, 'ada@X.example'), { removed: true, ...ada })
  assert.equal((await json('member', 'remove', ...org, bob.id)).email, 'bob@x.example')
  assert.match((await run('member', 'list', ...org)).stdout, /^"Members" has no members yet\.\n$/)
})

test("a member's own labels, filters and blocks are theirs, and their keywords collide with the organization's", async () => {
  await json('org', 'create', 'Rules')
  const { id } = await json('member', 'add', '--org', 'Rules', '--email', 'ada@x.example')
  const whose = ['--org', 'Rules', '--member', 'ada@x.example'] as const
  const label = await json('member', 'label', 'add', ...whose, 'Later', '--colour', 'red')
  assert.deepEqual([label.name, label.keyword, label.colour], ['Later', 'later', 'red'])
  const filter = await json(
    ...['member', 'filter', 'add', 'News', ...whose, '--field', 'from', '--op', 'contains'],
    ...['--value', 'news@', '--action', 'label', '--argument', 'Later'],
  )
  assert.deepEqual([filter.argument, filter.position, filter.enabled], ['later', 1, true])
  const block = await json('member', 'block', 'add', ...whose, '@Spam.EXAMPLE')
  assert.equal(block.pattern, '@spam.example')
  assert.deepEqual(await json('member', 'block', 'add', ...whose, '@spam.example'), block)
  for (const table of ['labels', 'filters', 'blocked_senders'] as const) {
    const rows = await database.db.selectFrom(table).select('member_id').where('member_id', 'is not', null).execute()
    assert.deepEqual(rows, [{ member_id: id }], table)
  }
})

for (const [line, exitCode, message] of [
  ['org create', 2, /^mailroom: NAME is missing\nUsage: mailroom org create NAME/],
  ['org create x --plan huge', 1, /^mailroom: No plan named "huge"; there are: free, team, business, self_hosted\n$/],
  ['key list --org nope', 1, /^mailroom: No organization named "nope"; there are: .*Refuses/],
  ['key create --org Refuses --scopes labels', 1, /^mailroom: No scope named "labels"; there are: all, labels:read/],
  ['key create --org Refuses --scopes all --expires soon', 1, /^mailroom: "soon" is no lifetime/],
  ['key revoke 7', 1, /^mailroom: No such key: 7\n$/],
  ['member add --org Refuses --email x', 1, /^mailroom: "x" is not an e-mail address\n$/],
  ['member add --org Refuses --email a@b.example --role boss', 1, /role must be one of owner, admin, member/],
  ['member remove --org Refuses x@y.example', 1, /^mailroom: No member "x@y.example" in this organization\n$/],
  ['member block add --org Refuses --member x@y.example z', 1, /whole address or a domain/],
] as const) {
  test(`"${line}" ends with ${exitCode} and a sentence on stderr`, async () => {
    await run('org', 'create', 'Refuses')
    const refused = await run(...line.split(' '))
    assert.deepEqual([refused.exitCode, refused.stdout], [exitCode, ''])
    assert.match(refused.stderr, message)
  })
}

test('migrate shows what is applied', async () => {
  const { data } = await json('migrate')
  assert.equal(data[0].name, '001-organizations.sql')
})
