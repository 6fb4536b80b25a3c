import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { sourcePaths, sourceRoot } from './import-law.ts'
import { type Exception, tableBreaches, writesOf } from './table-law.ts'

/** Which folder writes a table, with insert, update, delete or merge. Triggers are the database's own (src/base/db/migrations). */
const writers = {
  addresses: 'mail/mailboxes',
  api_keys: 'people/keys',
  arrivals: 'mail/store',
  audit_entries: 'base/audit',
  auto_replies: 'out/forwarding',
  blocked_senders: 'rules/blocked-senders',
  catch_alls: 'mail/mailboxes',
  change_parts: 'mail/changes',
  changes: 'mail/changes',
  dkim_keys: 'domains',
  domains: 'domains',
  event_log: 'base/event-log',
  draft_approvals: 'out/drafts',
  drafts: 'out/drafts',
  events: 'base/event-log',
  filter_run_folders: 'rules/filters',
  filter_runs: 'rules/filters',
  filters: 'rules/filters',
  forwarding: 'out/forwarding',
  idempotency_keys: 'http',
  installation: 'base/secrets',
  labels: 'mail/labels',
  login_clients: 'people/passwords',
  login_failures: 'people/passwords',
  mail_contents: 'mail/store',
  mail_expunged: 'mail/store',
  mail_folders: 'mail/store',
  mail_keyword_totals: 'people/usage',
  mail_keywords: 'mail/store',
  mail_messages: 'mail/store',
  mail_pieces: 'mail/store',
  mail_search: 'mail/search-index',
  mail_search_queue: 'mail/search-index',
  mail_structures: 'imap',
  mail_words: 'mail/search-index',
  mailbox_access: 'mail/mailboxes',
  mailboxes: 'mail/mailboxes',
  member_identities: 'people/sessions',
  member_links: 'people/sessions',
  member_passkeys: 'people/sessions',
  member_passwords: 'people/sessions',
  member_recovery_codes: 'people/sessions',
  member_sessions: 'people/sessions',
  member_totp: 'people/sessions',
  member_signatures: 'out/signatures',
  members: 'people/members',
  mta_sts_policies: 'out/delivery',
  organization_usage: 'mail/store',
  organizations: 'people/organizations',
  outbound_messages: 'out/queue',
  outbound_pieces: 'out/queue',
  outbound_recipients: 'out/queue',
  passkey_challenges: 'people/sessions',
  plans: 'people/organizations',
  replaced_message_ids: 'out/sent',
  request_holds: 'http',
  request_uses: 'http',
  retired_keywords: 'mail/labels',
  retired_secrets: 'base/secrets',
  return_paths: 'out/follow-ups',
  returned_reports: 'out/forwarding',
  schema_migrations: 'base/db',
  secret_holders: 'base/secrets',
  sends: 'out/sending',
  sent_recipients: 'out/sent',
  suppressions: 'out/suppressions',
  sent_drafts: 'out/drafts',
  single_sign_ons: 'people/sessions',
  imap_unsubscribed: 'imap',
  webhook_deliveries: 'events/webhooks',
  webhooks: 'events/webhooks',
}

const counters = 'it puts counters right that are wrong, those of folders and labels as the storage in use'

const exceptions: readonly Exception[] = [
  { table: 'installation', folder: 'app/server', because: 'the one row of the installation also names its host' },
  { table: 'mail_folders', folder: 'people/usage', because: counters },
  { table: 'organization_usage', folder: 'people/usage', because: counters },
  { table: 'mail_keywords', folder: 'people/usage', because: counters },
  {
    table: 'mail_search_queue',
    folder: 'mail/store',
    because: 'what is stored is queued for the index in one statement',
  },
]

/** Files that write tables by names made at run time, and why. */
const copiers = {
  'base/db/leases.ts': 'it leases rows of any queue; who makes the leases writes the table',
  'base/db/transfer/import.ts': 'it carries over the whole database',
  'base/db/transfer/row-store.ts': 'it carries over the whole database',
  'base/secrets/reseal.ts': 'it seals anew what any table has sealed',
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
    knowing.filter((path) => !path.startsWith('base/db/')),
    ['mail/store/octets.ts'],
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
