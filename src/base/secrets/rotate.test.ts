import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import { pino } from 'pino'
import { relayMark, relayMarkField, relayMarkKey } from '#/formats/mime/authentication/relay-mark.ts'
import { readMessage } from '#/formats/mime/read-message.ts'
import { Srs } from '#/out/follow-ups/srs.ts'
import { enqueue } from '#/out/queue/enqueue.ts'
import { sealedAs } from '#/out/queue/sealed.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { each } from '#test/world/each.ts'
import { secret as first } from '#test/world/installation.ts'
import { onceWritten } from '#test/world/observe/writes.ts'
import { ofFile } from '#test/world/of-file.ts'
import { usedInstallation } from '#test/world/organization/used-installation.ts'
import { Sink } from '#test/world/sockets/sink.ts'
import { World } from '#test/world/world.ts'
import { SecretHolder } from './holders.ts'
import { fingerprintOf, Keyring } from './keyring.ts'
import { forgetSecrets, openKeyring, overlapMs } from './open.ts'
import { isUnfinished, rotateTo } from './rotate.ts'
import { markOf, sealingKey } from './seal.ts'
import { sealedColumns } from './sealed-columns.ts'

const [second = '', third = '', fourth = ''] = ['second', 'third', 'fourth'].map(
  (name) => `the ${name} secret, of thirty-two characters`,
)
const now = new Date('2026-11-21T08:00:00Z')

const database = await databaseOfFile()
const sink = ofFile(await Sink.start())
let keyring = await openKeyring(database.db, [first])
const world = await World.ofFile({ database, sink, keyring })
const lived = await usedInstallation(world, sink)
await concealedDeparture()

/** A message that waits whose recipient is a secret too, and what was found of the one that it follows. */
async function concealedDeparture(): Promise<void> {
  const departure = {
    ...{ id: randomUUID(), organizationId: lived.organizations[0].organization.id, mailboxId: null, sender: '' },
    ...{ raw: Buffer.from('Subject: Away\r\n\r\nAway.\r\n'), concealed: true, utf8Header: false },
    ...{ recipients: [{ recipient: 'ann@far.example', route: 'far.example' }], kind: 'reply' as const },
    verdict: {
      spf: { result: 'none', domain: 'far.example', identity: 'mailfrom' as const },
      dmarc: { result: 'none', domain: 'far.example', policy: 'none', dkimAligned: false },
      ...{ dkim: [], disposition: 'none' as const },
    },
  }
  const key = sealingKey(keyring, sealedAs)
  const later = new Date(Date.now() + 86_400_000)
  await database.db.transaction().execute((tx) => enqueue(tx, key, departure, later))
}

const rotate = (next: string, count = (_: number) => {}) => rotateTo(next, { db: database.db, keyring, count })

/** Every row of the database in which something begins as what is sealed under the secret does. */
async function sealedUnder(secret: string): Promise<string[]> {
  const mark = markOf({ fingerprint: fingerprintOf(secret) })
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`.execute(database.db)
  const found = []
  for (const { name } of tables) {
    const { rows } = await sql`
      select from ${sql.table(name)} "whole row"
      where position(${`"\\\\x${mark.toString('hex')}`} in to_jsonb("whole row")::text) > 0
        or position(${`"${mark.toString('base64')}`} in to_jsonb("whole row")::text) > 0`.execute(database.db)
    if (rows.length > 0) found.push(name)
  }
  return found
}

/** Columns of octets that nothing sealed lies in: hashes, mail that has arrived, and what a mail program reads. */
const notSealed = [
  ...['api_keys.hash', 'arrivals.digest', 'installation.secret_fingerprint', 'login_clients.client'],
  ...['login_clients.login', 'login_failures.client', 'login_failures.guess', 'login_failures.login'],
  ...['mail_contents.bytes', 'mail_messages.id_hash', 'mail_messages.strong', 'mail_messages.weak'],
  ...['member_links.hash', 'member_passkeys.credential_id', 'member_passkeys.public_key', 'member_recovery_codes.hash'],
  ...['member_sessions.hash', 'passkey_challenges.hash', 'retired_secrets.fingerprint', 'secret_holders.uses'],
  ...['mail_pieces.bytes', 'single_sign_ons.hash'],
]

test('every column of octets is resealed, or is known to have no sealed values', async () => {
  const { rows } = await sql<{ name: string }>`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = 'public' and data_type = 'bytea'`.execute(database.db)
  const sealed = Object.values(sealedColumns).flatMap((all) => all.filter((one) => !('base64' in one)))
  const known = [...notSealed, ...sealed.map(({ table, column }) => `${table}.${column}`)]
  assert.deepEqual(each(rows, 'name').sort(), known.sort())
})

async function replays(): Promise<void> {
  const [{ organization }] = lived.organizations
  const { key, body, answer } = lived.asked
  const again = await organization.request('POST', '/v1/labels', body, { headers: { 'idempotency-key': key } })
  assert.deepEqual([again.status, again.body, again.headers.get('idempotency-replayed')], [201, answer, 'true'])
}

test('before the first rotation everything is sealed under one secret', async () => {
  assert.deepEqual(keyring.known.length, 1)
  const found = await sealedUnder(first)
  for (const { table } of Object.values(sealedColumns).flat())
    assert.ok(found.includes(table) || table === 'retired_secrets', table)
  await assert.rejects(openKeyring(database.db, [second]), /not the one that is in force.*MAILROOM_SECRET/)
})

test('a rotation reseals everything while the service runs', async () => {
  assert.ok(((await rotate(second))?.resealed ?? 0) >= 6)
  // A table that is here has a sealed column that `sealedColumns` does not name.
  assert.deepEqual(await sealedUnder(first), [])
  await replays()
  assert.equal(await rotate(second), undefined, 'there is nothing to do')
})

test('a process with only the new secret knows the old one too, and hashes ids as before', async () => {
  const fresh = await openKeyring(database.db, [second])
  assert.deepEqual(each(fresh.known, 'text'), [second, first])
  assert.deepEqual(fresh.idHashOctets, new Keyring(first).idHashOctets)
  await assert.rejects(openKeyring(database.db, [first]), /not the one that is in force/)
})

test('rewritten senders and marks of relayed mail stay readable', async () => {
  const old = new Keyring(first)
  const by = { mailboxId: '0badcafe-0000-4000-8000-000000000000', domain: 'here.example' }
  const { sender } = new Srs(old).rewrite('ann@far.example', by, now)
  const read = new Srs(keyring).read(sender.split('@')[0] ?? '', by.domain, now)
  assert.deepEqual(read, { address: 'ann@far.example', mailbox: '0badcafe' })
  const digest = Buffer.alloc(32, 5)
  const { headers } = readMessage(Buffer.from(`${relayMarkField(relayMarkKey(old), digest)}\r\nBody\r\n`))
  assert.deepEqual(relayMark(relayMarkKey(keyring), headers), digest)
})

test('the next run finishes an interrupted rotation, whatever the processes know', async () => {
  let broken = 0
  for (let at = 1; ; at++) {
    const goal = at % 2 ? third : second
    const from = keyring.inForce.text
    try {
      let calls = 0
      await rotate(goal, () => {
        if (++calls > at) throw new Error('Broken off')
      })
      break
    } catch {
      broken++
      assert.ok(await isUnfinished(database.db))
      await replays()
      // A process that starts now has both, or the new one alone.
      keyring = await openKeyring(database.db, at % 3 ? [goal] : [goal, from])
      assert.ok(keyring.knows(fingerprintOf(from)))
      await rotate(goal)
      assert.deepEqual(await sealedUnder(from), [])
      assert.ok(!(await isUnfinished(database.db)))
    }
  }
  assert.ok(broken > 3)
})

test('a secret comes into force only once every running process knows it', async () => {
  const log = pino({ level: 'silent' })
  const from = keyring.inForce.text
  let given: readonly string[] = [from]
  const other = await openKeyring(database.db, given)
  {
    await using holder = await SecretHolder.start({ db: database.db, keyring: other, given: async () => given, log })
    const refused = rotate(fourth)
    await assert.rejects(refused, /do not know the new secret/)
    assert.equal((await openKeyring(database.db, given)).inForce.text, from)
    given = [fourth, from]
    await holder.beat()
    // It seals under the old one until it hears of the change; the change ends after that.
    const rotated = rotate(fourth)
    await onceWritten(async () => (await openKeyring(database.db, given)).inForce.text === fourth)
    assert.equal(other.inForce.text, from)
    await holder.beat()
    assert.equal(other.inForce.text, fourth)
    await rotated
  }
  const { rows } = await sql`select from secret_holders`.execute(database.db)
  assert.equal(rows.length, 0)
})

test('an old secret is deleted once nothing needs it', async () => {
  const known = async () => (await openKeyring(database.db, [fourth])).known.length
  assert.equal(await known(), 4)
  await forgetSecrets(database.db, new Date(Date.now() + overlapMs - 3_600_000))
  assert.equal(await known(), 4)
  await forgetSecrets(database.db, new Date(Date.now() + overlapMs + 60_000))
  assert.equal(await known(), 1)
})
