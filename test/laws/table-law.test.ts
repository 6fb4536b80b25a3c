import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { sourcePaths, sourceRoot } from './import-law.ts'
import { type Exception, tableBreaches, writesOf } from './table-law.ts'

/** Which folder writes a table, with insert, update, delete or merge. Triggers are the database's own (src/base/db/migrations). */
const writers = {
  addresses: 'mailboxes',
  api_keys: 'keys',
  arrivals: 'mail',
  audit_entries: 'audit',
  auto_replies: 'forwarding',
  blocked_senders: 'blocked-senders',
  catch_alls: 'mailboxes',
  change_parts: 'changes',
  changes: 'changes',
  dkim_keys: 'domains',
  domains: 'domains',
  event_log: 'events',
  draft_approvals: 'drafts',
  drafts: 'drafts',
  events: 'events',
  filter_run_folders: 'filters',
  filter_runs: 'filters',
  filters: 'filters',
  forwarding: 'forwarding',
  idempotency_keys: 'http',
  installation: 'secrets',
  labels: 'labels',
  login_clients: 'passwords',
  login_failures: 'passwords',
  mail_contents: 'mail',
  mail_expunged: 'mail',
  mail_folders: 'mail',
  mail_keyword_totals: 'usage',
  mail_keywords: 'mail',
  mail_messages: 'mail',
  mail_pieces: 'mail',
  mail_search: 'mail',
  mail_search_queue: 'mail',
  mail_structures: 'imap',
  mail_words: 'mail',
  mailbox_access: 'mailboxes',
  mailboxes: 'mailboxes',
  member_identities: 'sessions',
  member_links: 'sessions',
  member_passkeys: 'sessions',
  member_passwords: 'sessions',
  member_recovery_codes: 'sessions',
  member_sessions: 'sessions',
  member_totp: 'sessions',
  member_signatures: 'signatures',
  members: 'members',
  mta_sts_policies: 'outbound',
  organization_usage: 'mail',
  organizations: 'organizations',
  outbound_messages: 'queue',
  outbound_pieces: 'queue',
  outbound_recipients: 'queue',
  passkey_challenges: 'sessions',
  plans: 'organizations',
  replaced_message_ids: 'sent',
  request_holds: 'http',
  request_uses: 'http',
  retired_keywords: 'labels',
  retired_secrets: 'secrets',
  return_paths: 'outbound',
  returned_reports: 'forwarding',
  schema_migrations: 'db',
  secret_holders: 'secrets',
  sends: 'sending',
  sent_recipients: 'sent',
  suppressions: 'suppressions',
  sent_drafts: 'drafts',
  single_sign_ons: 'sessions',
  imap_unsubscribed: 'imap',
  webhook_deliveries: 'webhooks',
  webhooks: 'webhooks',
}

const counters = 'it puts counters right that are wrong, those of folders and labels as the storage in use'

const exceptions: readonly Exception[] = [
  { table: 'installation', folder: 'server', because: 'the one row of the installation also names its host' },
  { table: 'mail_folders', folder: 'usage', because: counters },
  { table: 'organization_usage', folder: 'usage', because: counters },
  { table: 'mail_keywords', folder: 'usage', because: counters },
]

/** Files that write tables by names made at run time, and why. */
const copiers = {
  'db/leases.ts': 'it leases rows of any queue; who makes the leases writes the table',
  'db/transfer/import.ts': 'it carries over the whole database',
  'db/transfer/row-store.ts': 'it carries over the whole database',
  'secrets/reseal.ts': 'it seals anew what any table has sealed',
}

test('one folder writes each table', () => {
  const writes = sourcePaths()
    .filter((path) => !/(^|\/)(conformance|fixtures)\//.test(path))
    .flatMap((path) => writesOf(path, readFileSync(join(sourceRoot, path), 'utf8')))
  assert.ok(writes.length > 80, 'the writes are found')
  assert.deepEqual(tableBreaches(writes, writers, exceptions, Object.keys(copiers)), [])
})

test('one file knows where octets of messages are', () => {
  const knowing = sourcePaths().filter((path) =>
    /mail_pieces|content\.bytes/.test(readFileSync(join(sourceRoot, path), 'utf8')),
  )
  assert.deepEqual(
    knowing.filter((path) => !path.startsWith('db/')),
    ['mail/octets.ts'],
  )
})

const noted = { labels: 'labels', mailboxes: 'mailboxes' }
const own = [
  { path: 'labels/queries.ts', table: 'labels' },
  { path: 'mailboxes/queries.ts', table: 'mailboxes' },
]

for (const [what, text] of [
  ['an insert by kysely', ".insertInto('labels')"],
  ['an update of an aliased table by kysely', ".updateTable(\n  'labels as label')"],
  ['leases', "new Leases('labels', 20_000)"],
  ['a delete by kysely', ".deleteFrom('labels')"],
  ['a merge by kysely', ".mergeInto('labels')"],
  ['an insert in SQL', 'sql`insert into labels (name) values (1)`'],
  ['an update of an aliased table in SQL', 'sql`with x as (\n update labels as label set name = 1)`'],
  ['an update without a schema around it', 'sql`update only "labels" set name = 1`'],
  ['a delete in SQL', 'sql`DELETE FROM labels where true`'],
  ['a merge in SQL', 'sql`merge into labels using x on true`'],
  ['a truncation', 'sql`truncate labels`'],
] as const)
  test(`the law finds ${what}, in a folder that does not own the table`, () => {
    const writes = writesOf('mailboxes/queries.ts', text)
    assert.deepEqual(tableBreaches([...own, ...writes], noted, []), [
      'mailboxes/queries.ts writes labels, which labels writes',
    ])
  })

for (const [what, text] of [
  ['a lock', 'sql`select id from labels for update skip locked`'],
  ['what is done on a conflict', 'sql`on conflict (id) do update set name = excluded.name`'],
  ['a comment', '/** What `update labels set` makes of it. */\n// insert into labels\nconst x = 1'],
  ['a read', ".selectFrom('labels')"],
] as const)
  test(`the law passes ${what}`, () => assert.deepEqual(writesOf('mailboxes/queries.ts', text), []))

for (const text of ['.insertInto(table)', `sql\`delete from \${sql.table(table)} where true\``])
  test(`the law finds a table whose name is made at run time: ${text}`, () => {
    const writes = [...own, ...writesOf('labels/queries.ts', text)]
    const breach = 'labels/queries.ts writes a table whose name is made at run time'
    assert.deepEqual(tableBreaches(writes, noted, []), [breach])
    assert.deepEqual(tableBreaches(writes, noted, [], ['labels/queries.ts']), [])
  })

test('the law finds a table that nobody is declared to write', () =>
  assert.deepEqual(tableBreaches([...own, { path: 'labels/queries.ts', table: 'badges' }], noted, []), [
    'labels/queries.ts writes badges, which no folder is declared to write',
  ]))

test('the law finds declarations without a write', () => {
  const exception = { table: 'labels', folder: 'mailboxes', because: 'it once did' }
  assert.deepEqual(tableBreaches(own.slice(0, 1), noted, [exception]), [
    'mailboxes does not write mailboxes, though it is declared to',
    'mailboxes does not write labels: its exception can go',
  ])
})
