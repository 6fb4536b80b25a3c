import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import pg from 'pg'
import { openDatabase } from '#/base/db/open.ts'
import { example } from '#test/deploy/example.ts'
import { startPostgres } from '#test/peers/postgres.ts'
import { homeAt } from '#test/world/database/database.ts'
import { each } from '#test/world/each.ts'
import { letter, subjectsIn } from '#test/world/letters/letter.ts'
import { directoryOfFile, ofFile } from '#test/world/of-file.ts'
import { TestOrganization } from '#test/world/organization/test-organization.ts'
import { certificateFor } from '#test/world/sockets/certificate.ts'
import { SmtpClient } from '#test/world/sockets/smtp-client.ts'
import { World } from '#test/world/world.ts'
import { certificates, Postfix, settingsOf } from './postfix.ts'

const run = promisify(execFile)
const secret = 'of-the-role'

/** Postfix reads from PostgreSQL who is here, and hands mail on to two processes of the role `mx`. */
const postgres = ofFile(await startPostgres())
await homeAt(postgres.url)
const database = ofFile(await openDatabase({ url: postgres.url }))
const role = join(import.meta.dirname, '../../../deploy/postfix/role.sql')
for (const password of ['an-earlier-one', secret])
  await run('psql', ['-q', '-v', 'ON_ERROR_STOP=1', '-v', `password=${password}`, '-f', role, postgres.url])
const env = { MAILROOM_LMTP_PORT: '0', MAILROOM_POLICY_PORT: '0' }
const [first, second] = [await World.ofFile({ database, env }), await World.ofFile({ database, env })]
let organization = await first.organization()
const directory = directoryOfFile()
await run('chmod', ['755', directory])
const { hostname, port } = new URL(postgres.url)
for (const name of ['domains', 'recipients']) {
  const map = await example(`postfix/mailroom-${name}.cf`, {
    ...{ 'hosts = 127.0.0.1': `hosts = inet:${hostname}:${port}`, 'dbname = mailroom': 'dbname = postgres' },
    'change-me': secret,
  })
  await writeFile(join(directory, `mailroom-${name}.cf`), map)
}
const sample = await example('postfix/sql.cf', {
  ...{ '/etc/postfix/': `${directory}/`, ...(await certificates(directory, certificateFor('mail.dest.test'))) },
  ...{ '10.0.0.5:24': `127.0.0.1:${first.lmtp?.port}`, '10.0.0.6:24': `127.0.0.1:${second.lmtp?.port}` },
  ...{ '10.0.0.5:10031': `127.0.0.1:${first.policy?.port}`, '10.0.0.6:10031': `127.0.0.1:${second.policy?.port}` },
})
const postfix = ofFile(await Postfix.start(settingsOf(sample), certificateFor('mx.dest.test')))

/** What a map answers; empty where it has nothing. */
async function lookUp(map: string, key: string): Promise<string> {
  const asked = ['-q', key, `pgsql:${directory}/mailroom-${map}.cf`]
  return (await run('postmap', asked).catch(() => ({ stdout: '' }))).stdout.trim()
}

async function mailTo(...recipients: readonly string[]): Promise<string[]> {
  await using client = await SmtpClient.greeted(postfix.port)
  await client.say('MAIL FROM:<ann@peer.example>')
  const replies = []
  for (const recipient of recipients) replies.push((await client.say(`RCPT TO:<${recipient}>`)).lines.join())
  return replies
}

async function arrives(address: string, subject: string): Promise<void> {
  await using client = await SmtpClient.greeted(postfix.port)
  assert.equal((await client.send('ann@peer.example', address, letter({ Subject: subject }))).code, 250)
  await postfix.until(async () => (await subjectsIn(organization, address)).includes(subject))
}

test('a domain and an address are known as soon as Mailroom has them, and no longer', async () => {
  const { address, id } = await organization.mailbox('ada')
  const { domain } = organization
  assert.equal(await lookUp('domains', domain.toUpperCase()), domain)
  assert.equal(await lookUp('recipients', address.toUpperCase()), 'mailroom')
  assert.equal(await lookUp('recipients', `ada+news@${domain}`), 'mailroom')
  for (const rewritten of ['SRS0=12345678abcdefgh=ab=x.example=ann', `srs=${'0'.repeat(32)}`])
    assert.equal(await lookUp('recipients', `${rewritten}@${domain}`), 'mailroom')
  for (const other of [`nobody@${domain}`, `+ada@${domain}`, `@${domain}`, 'ada@elsewhere.example', "a'b@x.test"])
    assert.deepEqual([other, await lookUp('recipients', other)], [other, ''])

  const { rows: boxes } = await sql<{ domain_id: string }>`
    insert into catch_alls (domain_id, organization_id, mailbox_id)
    select domain_id, organization_id, id from mailboxes where id = ${id} returning domain_id`.execute(database.db)
  assert.equal(await lookUp('recipients', `Nobody@${domain}`), 'mailroom')
  assert.equal(await lookUp('recipients', 'ada@elsewhere.example'), '')
  await sql`delete from catch_alls where domain_id = ${boxes[0]?.domain_id}`.execute(database.db)

  const suspend = (at: Date | null) =>
    database.db.updateTable('mailboxes').set({ suspended_at: at }).where('id', '=', id).execute()
  await suspend(new Date())
  assert.equal(await lookUp('recipients', address), 'mailroom')
  await suspend(null)
  const status = (now: 'verified' | 'failed') =>
    database.db.updateTable('domains').set({ status: now }).where('domain', '=', domain).execute()
  await status('failed')
  assert.deepEqual([await lookUp('domains', domain), await lookUp('recipients', address)], ['', ''])
  await status('verified')
})

test('Postfix refuses unknown recipients at RCPT, and accepts mail for others', async () => {
  const { address } = await organization.mailbox('bob')
  const unknown = `nobody@${organization.domain}`
  const [nobody, foreign, tagged] = await mailTo(unknown, 'bob@elsewhere.example', address.replace('@', '+news@'))
  assert.match(nobody ?? '', /^550 5\.1\.1 /)
  assert.match(foreign ?? '', /^554 5\.7\.1 .*Relay access denied/)
  assert.match(tagged ?? '', /^250 /)
})

test('two of the role mx, one of them away, then both: nothing is refused, and nothing is lost', async () => {
  const { address } = await organization.mailbox('cy')
  const suspended = await organization.mailbox('dan')
  await database.db.updateTable('mailboxes').set({ suspended_at: new Date() }).where('id', '=', suspended.id).execute()
  await arrives(address, 'Both are there')
  const lmtp = first.lmtp ?? assert.fail()
  const policy = first.policy ?? assert.fail()
  await first[Symbol.asyncDispose]()
  organization = new TestOrganization(second, organization)
  organization.key = await organization.newKey('messages:read')
  assert.match((await mailTo(suspended.address))[0] ?? '', /^550 5\.2\.1 .*suspended/)
  await arrives(address, 'The first is away')

  await second[Symbol.asyncDispose]()
  // Postfix knows who is here, and keeps what it takes.
  assert.match((await mailTo(`nobody@${organization.domain}`))[0] ?? '', /^550 5\.1\.1 /)
  await using client = await SmtpClient.greeted(postfix.port)
  assert.equal((await client.send('ann@peer.example', address, letter({ Subject: 'Both are away' }))).code, 250)
  await postfix.logs(/status=deferred/)
  const ports = { MAILROOM_LMTP_PORT: String(lmtp.port), MAILROOM_POLICY_PORT: String(policy.port) }
  await using third = await World.start({ database, env: ports })
  organization = new TestOrganization(third, organization)
  organization.key = await organization.newKey('messages:read')
  await postfix.command('flush')
  await postfix.until(async () => (await subjectsIn(organization, address)).length === 3)
})

test('who reads that can read nothing else', async () => {
  const url = new URL(postgres.url)
  url.username = 'mailroom_postfix'
  url.password = secret
  const client = new pg.Client(url.href)
  await client.connect()
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select relname as name from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'v', 'm', 'p')
          and has_table_privilege(oid, 'select, insert, update, delete, truncate, references, trigger') order by 1`,
    )
    assert.deepEqual(each(tables, 'name'), ['postfix_catch_alls', 'postfix_domains', 'postfix_recipients'])
  } finally {
    await client.end()
  }
})

test('a sender is shown the certificate that the sample names', async () => {
  await using client = await SmtpClient.greeted(postfix.port)
  assert.equal((await client.startTls()).code, 220)
  assert.equal(client.peerName, 'mail.dest.test')
})
