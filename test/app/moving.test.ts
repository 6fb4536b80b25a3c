// On a server: mail moves there from the embedded database, and back.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { before, test } from 'node:test'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import type { Keyring } from '#/base/secrets/keyring.ts'
import { openKeyring } from '#/base/secrets/open.ts'
import { rotateTo } from '#/base/secrets/rotate.ts'
import { killedAt } from '#test/faults/letters/post-office.ts'
import { type DatabaseHome, databaseHome, testDatabase } from '#test/world/database/database.ts'
import { secret } from '#test/world/installation.ts'
import { directoryOfFile, ofFile } from '#test/world/of-file.ts'
import {
  allAnswers,
  allRows,
  awaitIndexing,
  type UsedInstallation,
  usedInstallation,
} from '#test/world/organization/used-installation.ts'
import { mailroom, spawnMailroom, startService } from '#test/world/service.ts'
import { Sink } from '#test/world/sockets/sink.ts'
import { World } from '#test/world/world.ts'

const minute = 60_000

const scratch = directoryOfFile()
const whole = join(scratch, 'whole')

let sink: Sink
let old: DatabaseHome
let there: DatabaseHome
let lived: UsedInstallation
let records: World['dns']
let keyring: Keyring
let answers: Record<string, unknown>
let rows: Record<string, readonly string[]>
before(async () => {
  sink = ofFile(await Sink.start())
  old = ofFile(await databaseHome({ embedded: true }))
  there = ofFile(await databaseHome())
  await using database = await old.open()
  keyring = await openKeyring(database.db, ['an older secret of thirty-two characters'])
  await rotateTo(secret, { db: database.db, keyring, count: () => {} })
  {
    // What was enrolled is not to be looked at meanwhile.
    const env = { MAILROOM_DNS_FIRST_CHECK_SECONDS: '86400' }
    await using world = await World.start({ database, sink, keyring, env })
    lived = await usedInstallation(world, sink)
    answers = await allAnswers(world, lived.organizations)
    await awaitIndexing(world)
    records = world.dns
  }
  rows = await allRows(database.db)
})

const sequences = () => rows.sequences ?? []
const count = () => Object.values(rows).reduce((sum, of) => sum + of.length, -sequences().length)

async function done(env: DatabaseHome['env'], ...argv: string[]): Promise<string> {
  const { stdout, stderr, code } = await mailroom(env, ...argv)
  assert.equal(code, 0, stderr)
  return stdout
}

async function rowsIn(home: DatabaseHome) {
  await using database = await home.open()
  return await allRows(database.db)
}

test('no table is empty in what is moved here', () => {
  const empty = Object.entries(rows).flatMap(([name, of]) => (of.length === 0 ? [name] : []))
  assert.deepEqual(empty, [], 'see test/world/organization/used-installation.ts')
})

test('an installation moves to another database, with every row and sequence', async () => {
  const said = await done(old.env, 'export', whole)
  assert.equal(said, `Exported ${count().toLocaleString('en')} rows to ${whole}.\n`)
  assert.equal((await stat(whole)).mode & 0o777, 0o600)
  await done(there.env, 'import', whole)
  assert.deepEqual(await rowsIn(there), rows)
})

test('and from there, through pipes, into a data directory that is not there yet', async () => {
  const directory = join(scratch, 'new')
  const out = spawnMailroom(there.env, 'export', '-')
  const into = spawnMailroom({ ...old.env, MAILROOM_DATA_DIR: directory }, 'import', '-', '--json')
  out.stdout.pipe(into.stdin)
  const [said, [code]] = await Promise.all([text(into.stdout), once(into, 'exit')])
  assert.equal(code, 0)
  assert.equal(JSON.parse(said).rows, count())
  await using database = await testDatabase({ directory })
  assert.deepEqual(await allRows(database.db), rows)
})

test('a service on the new database answers as the old one did, and goes on with what that had begun', async () => {
  sink.taken.length = 0
  await using database = await there.open()
  await using world = await World.start({ database, sink, keyring, resolver: records })
  assert.deepEqual(await allAnswers(world, lived.organizations), answers)

  const [{ organization, address }] = lived.organizations
  const request = (method: string, path: string, more: object = {}) =>
    world.client.request(method, path, { key: organization.key, ...more })
  const { key, body, answer } = lived.asked
  const again = await request('POST', '/v1/labels', { body, headers: { 'idempotency-key': key } })
  assert.deepEqual([again.headers.get('idempotency-replayed'), again.body], ['true', answer])

  await world.advance(lived.scheduled.sendAt.getTime() - world.clock.now() + minute)
  await world.rounds.processAll()
  await world.outbound.processAll()
  await world.rounds.processAll()
  const taken = (subject: string) => sink.taken.filter(({ bytes }) => bytes.includes(`\r\nSubject: ${subject}\r\n`))
  assert.equal(taken(lived.waiting).length, 1)
  const [sent, ...more] = taken(lived.scheduled.subject)
  assert.ok(sent)
  assert.ok(sent.bytes.includes(Buffer.alloc(57, 'An attachment. ').toString('base64')))
  assert.deepEqual(more, [])
  const { results } = await dkimVerify(sent.bytes, { resolver: (name) => records.txt(name) })
  assert.equal(results.map(({ status }) => status.result).join(), 'pass,pass')

  const letter = { from: 'peer9@far.example', to: address, subject: 'One more', text: 'Hello' }
  await world.send({ ...letter, messageId: '<more@far.example>', inReplyTo: '<12@far.example>' })
  const conversations = await request('GET', `/v1/threads?mailbox=${address}&limit=1`)
  assert.ok(conversations.body.data[0].message_count > 1, 'a reply joins the conversation that moved')
  const wanted = { domain: organization.domain, local_part: 'new' }
  assert.equal((await request('POST', '/v1/mailboxes', { body: wanted })).status, 201)
  const given = sequences().find((one) => one.startsWith('mail_folders_id_seq '))
  const { rows: folders } = await database.pool.query<{ id: number }>('select id from mail_folders order by id')
  assert.equal(folders.at(-6)?.id, Number(given?.split(' ')[1]), 'no UIDVALIDITY comes again')
})

test('kill -9 in the middle of an import leaves nothing, and after its commit everything', async () => {
  await using home = await databaseHome()
  const empty = await rowsIn(home)
  for (const [statements, when, left] of [
    [['insert into "mail_contents"'], 'after', empty],
    [['lock table', 'commit'], 'before', empty],
    [['lock table', 'commit'], 'after', rows],
  ] as const) {
    const { code } = await mailroom({ ...home.env, ...killedAt({ statements, when }) }, 'import', whole)
    assert.equal(code, null, `killed ${when} ${statements.at(-1)}`)
    assert.deepEqual(await rowsIn(home), left)
  }
})

test('what is refused changes nothing, and says why', async () => {
  await using home = await databaseHome()
  const before = await rowsIn(home)
  const foreign = await mailroom({ ...home.env, MAILROOM_SECRET: 'x'.repeat(32) }, 'import', whole)
  assert.match(
    foreign.stderr,
    /^mailroom: The file comes from an installation with another secret.*set MAILROOM_SECRET/,
  )
  assert.deepEqual(await rowsIn(home), before)

  const { size } = await stat(whole)
  assert.match((await mailroom(old.env, 'export', whole)).stderr, /whole already exists\. Name a new file/)
  assert.equal((await stat(whole)).size, size)

  await using other = await databaseHome({ embedded: true })
  const service = await startService(other.env)
  for (const command of ['export', 'import']) {
    const { stderr } = await mailroom(other.env, command, join(scratch, 'meanwhile'))
    assert.equal(stderr, 'mailroom: The service is running on this data directory. Stop it first\n')
  }
  await service.end('SIGTERM')
})
