import assert from 'node:assert/strict'
import pg from 'pg'

/** Dovecot's role in this database can read the view of accounts, and no table. */
export async function assertReadsAccountsAlone(database: string, password: string): Promise<void> {
  const url = new URL(database)
  url.username = 'mailroom_dovecot'
  url.password = password
  const client = new pg.Client(url.href)
  await client.connect()
  try {
    const { rows } = await client.query('select login, password, mailbox from imap_accounts limit 1')
    assert.equal(rows.length, 1)
    const { rows: tables } = await client.query<{ name: string }>(
      `select relname as name from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'v', 'm', 'p')
          and has_table_privilege(oid, 'select, insert, update, delete, truncate, references, trigger')`,
    )
    assert.deepEqual(tables, [{ name: 'imap_accounts' }])
    await assert.rejects(client.query('select password_hash from mailboxes'), { code: '42501' })
  } finally {
    await client.end()
  }
}
