// On both databases: the planner decides how rows are found.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type pg from 'pg'
import { byOperator } from '#/base/audit/actor.ts'
import { giveAccess } from '#/mail/mailboxes/access/access.ts'
import { ImapClient } from '#test/world/imap/client.ts'
import { password, readingMailbox } from '#test/world/imap/serving.ts'
import { tryPassword, withPassword } from '#test/world/members/passwords.ts'
import { signIn } from '#test/world/members/signed-in.ts'
import { setUpTotp } from '#test/world/members/totp.ts'
import { watchStatements } from '#test/world/observe/statements.ts'
import { type Furnished, furnish } from '#test/world/organization/furnished.ts'
import { everyOperation, memberOperations, pathOf } from '#test/world/routes/every-route.ts'
import { World } from '#test/world/world.ts'

/** These have a few rows, whatever an installation holds. */
const small = new Set(['plans', 'installation', 'event_log'])

test('no statement of a request, of mail that arrives, or of a mail program that changes it, goes through a whole table', async () => {
  await using world = await World.start({ env: { MAILROOM_ROLES: 'api,mx,imap' } })
  const furnished = await furnish(world)
  const { statements, stop } = statementsFromNow()
  try {
    await askEverything(world, furnished)
    await askAsMember(world, furnished)
    await changeOverImap(world, furnished)
  } finally {
    stop()
  }
  assert.ok(statements.size > 40, `${statements.size} statements were seen`)
  assert.deepEqual(await wholeScans(world.database.pool, statements), [])
})

test('a statement that no index serves is found', async () => {
  await using world = await World.start()
  const statements = new Map([
    ['select * from mail_messages where sender = $1', ['ann@x.test']],
    ['select count(*) from labels', []],
    ['select * from labels where id = $1', ['0199f0a2-7a52-7cc1-a1f1-0d5b7f3a1c55']],
  ])
  const scans = await wholeScans(world.database.pool, statements)
  assert.equal(scans.length, 2)
  for (const [at, table] of ['mail_messages', 'labels'].entries()) assert.ok(scans[at]?.startsWith(table), scans[at])
})

async function askEverything(world: World, furnished: Furnished): Promise<void> {
  const { organization, address } = furnished
  const inBox = `mailbox=${address}&limit=2`
  const read = ['', '&unread=true', '&unread=false']
  for (const query of read.flatMap((one) => [one, `${one}&label=${furnished.keyword}`]))
    for (const page of [0, 1]) await organization.request('GET', `/v1/messages?${inBox}${query}&page=${page}`)
  for (let count = 0; count < 4; count++)
    await world.send({ from: 'charles@engines.example', to: address, subject: `Again ${count}`, text: 'Again.' })
  await organization.request('GET', `/v1/messages?${inBox}&page=2`)
  const removes = ({ method }: { method: string }) => Number(method === 'DELETE')
  const operations = (await everyOperation(world)).sort((a, b) => removes(a) - removes(b))
  for (const { name, method, path, sample } of operations) {
    const { status } = await organization.request(method, pathOf(path, sample, furnished), sample.body?.(furnished))
    assert.ok(status < 300, `${name} is answered ${status}`)
  }
}

/** What is for members alone, and the ways to sign in. Of a member's own things those of the organization are not found, by
 *  the same statements. */
async function askAsMember(world: World, { organization, ...furnished }: Furnished): Promise<void> {
  const email = 'eve@people.example'
  const owner = await withPassword(organization, email, { role: 'owner' })
  for (const { name, method, path, sample } of await memberOperations(world)) {
    const session = name === 'DELETE /v1/session' ? await signIn(organization, owner.id) : owner
    const one = { organization, ...furnished }
    const { status, bytes } = await session.request(method, pathOf(path, sample, one), sample.body?.(one))
    assert.ok([sample.status ?? 200, 404].includes(status), `${name}: ${bytes}`)
  }
  const { code, recoveryCodes } = await setUpTotp(owner, world.clock.now())
  world.clock.advance(30_000)
  for (const one of [code(world.clock.now()), recoveryCodes[0] ?? '']) {
    assert.equal((await tryPassword(world, { email, code: one })).status, 201)
    assert.equal((await tryPassword(world, { email, code: one, organization: organization.name })).status, 401)
  }
  assert.equal((await owner.request('DELETE', '/v1/me/totp')).status, 200)
}

/** Changes in the own mailbox and in one that is shared. */
async function changeOverImap({ db, imap }: World, { organization }: Furnished): Promise<void> {
  const own = await readingMailbox(organization, 'program')
  const team = await readingMailbox(organization, 'programs')
  const { id: memberId } = await organization.member(own.address)
  const sharing = { mailbox: team, memberId, shares: 'all', by: byOperator } as const
  await db.transaction().execute((tx) => giveAccess(tx, sharing, 'send'))
  await using client = await ImapClient.greeted(imap?.port ?? 0)
  await client.run(`LOGIN ${own.address} "${password}"`)
  const message = { literal: 'Message-ID: <1@there.example>\r\n\r\nHello' }
  for (const command of [
    ...[
      ['APPEND INBOX ', message, ' ', message],
      ['APPEND Sent ', message],
    ],
    ...[['SELECT INBOX'], ['REPLACE 1 INBOX ', message]],
    ...[['STORE 1:* +FLAGS (\\Deleted work)'], ['STORE 1 (UNCHANGEDSINCE 9) FLAGS (\\Seen)'], ['COPY 1:* Archive']],
    ...[[`COPY 1 Shared/${team.address}/INBOX`], [`MOVE 1 Shared/${team.address}/INBOX`]],
    ...[['UID EXPUNGE 1:9'], ['CLOSE']],
  ]) {
    const { status, text } = await client.run(...command)
    assert.equal(status, 'OK', text)
  }
}

/** Statements by their text, each with the parameters that it was last given. */
type Statements = Map<string, unknown[]>

function statementsFromNow(): { statements: Statements; stop(): void } {
  const statements: Statements = new Map()
  const watched = watchStatements(({ text, values }) => {
    if (/^\s*(select|with|insert|update|delete)\b/i.test(text)) statements.set(text, (values ?? []) as unknown[])
    return undefined
  })
  return { statements, stop: () => watched[Symbol.dispose]() }
}

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly Plans?: readonly Plan[]
}

/** Each table or index that a statement scans completely although the planner takes all tables for large and
 *  would rather not: then no index helps. */
async function wholeScans(pool: pg.Pool, statements: Statements): Promise<string[]> {
  const client = await pool.connect()
  try {
    // In a transaction, or the server's own counting of a table would replace what is written here.
    await client.query('begin')
    // Of a table that has no pages and was never analysed, the planner believes that it has ten.
    await client.query(`update pg_class
      set reltuples = case when pg_relation_size(oid) > 0 then 1000000 else -1 end, relpages = sign(pg_relation_size(oid))::integer
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')`)
    // What the server knows of the few rows of this test, where it has counted them meanwhile.
    await client.query(`delete from pg_statistic
      where starelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)`)
    for (const way of ['seqscan', 'hashjoin', 'mergejoin']) await client.query(`set enable_${way} = off`)
    const scans: string[] = []
    for (const [text, values] of statements) {
      const { rows } = await client.query(`explain (format json) ${text}`, values)
      const [{ Plan }] = rows[0]['QUERY PLAN'] as [{ Plan: Plan }]
      for (const name of scannedWhole(Plan, false)) scans.push(`${name}: ${text.replace(/\s+/g, ' ').trim()}`)
    }
    return scans
  } finally {
    await client.query('rollback')
    await client.query('reset all')
    client.release()
  }
}

/** `limited` where whoever asks takes only the first rows: then an index need not be read to its end. */
function scannedWhole(plan: Plan, limited: boolean): string[] {
  const { 'Node Type': type, 'Relation Name': table, 'Index Name': index, 'Index Cond': condition, Plans = [] } = plan
  const whole = type === 'Seq Scan' || (/Index (Only )?Scan$/.test(type) && condition === undefined && !limited)
  const name = table ?? index ?? ''
  const here = whole && !small.has(name) ? [name] : []
  return [...here, ...Plans.flatMap((part) => scannedWhole(part, type === 'Limit'))]
}
