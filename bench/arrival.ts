import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type pg from 'pg'
import { SMTPServer } from 'smtp-server'
import { logDestination } from '#/app/server/log.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'
import { Load } from './load/load.ts'
import type { SmtpWork } from './load/smtp-load.ts'
import { inTurns, median, type Row } from './report.ts'

export const rules = 100
const octets = 5_000

/** Mail coming in through the whole path, past filters and blocks that look at every message and fit none, against
 *  smtp-server with one insert of the message; both in this process and on one database. */
export async function arrival({ messages = 2_000, connections = 20, rounds = 7 } = {}): Promise<Row[]> {
  await using world = await World.start({ log: logDestination('/dev/null'), indexing: true })
  const organization = await world.organization({ plan: 'self_hosted' })
  const recipients: string[] = []
  for (let n = 0; n < 10; n++) recipients.push((await organization.mailbox(`ada${n}`)).address)
  await layRules(organization)
  world.dns.set('peer.example', { txt: ['v=spf1 ip4:127.0.0.1 -all'] })
  const { pool } = world.database
  await using floor = await startFloor(pool)
  await using load = new Load<SmtpWork, number>('smtp-load.ts')

  const run = (port: number) => async () => {
    const before = process.cpuUsage()
    const ms = await load.run({ port, connections, messages, recipients, octets })
    const { user, system } = process.cpuUsage(before)
    return { perSecond: (messages / ms) * 1000, cpu: (user + system) / 1000 / messages }
  }
  const results = await inTurns(rounds, run(floor.port), run(world.smtp.port))
  for (const stored of ['floor', 'mail_messages', 'mail_contents']) {
    const { rows } = await pool.query(`select count(*) as count from ${stored}`)
    assert.equal(rows[0]?.count, messages * (rounds + 1), `every message is in ${stored} once`)
  }
  const of = (which: 'floor' | 'ours', what: 'perSecond' | 'cpu') => median(results.map((one) => one[which][what]))
  return [
    {
      what: 'messages a second',
      value: median(results.map(({ ours, floor }) => ours.perSecond / floor.perSecond)),
      unit: '×',
      least: world.database.embedded ? 0.7 : 0.65,
      from: `${of('ours', 'perSecond').toFixed(0)} against ${of('floor', 'perSecond').toFixed(0)}`,
    },
    {
      what: 'CPU time of a message',
      value: median(results.map(({ ours, floor }) => ours.cpu / floor.cpu)),
      unit: '×',
      from: `${of('ours', 'cpu').toFixed(2)} ms against ${of('floor', 'cpu').toFixed(2)} ms`,
    },
  ]
}

async function startFloor(pool: pg.Pool): Promise<{ port: number } & AsyncDisposable> {
  await pool.query('create table floor (id bigint generated always as identity primary key, raw bytea not null)')
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    authOptional: true,
    logger: false,
    onData(stream, _session, done) {
      buffer(stream)
        .then((raw) => pool.query({ name: 'floor', text: 'insert into floor (raw) values ($1)', values: [raw] }))
        .then(() => done(), done)
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  return {
    port: (server.server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}

export async function layRules(organization: TestOrganization): Promise<void> {
  for (let n = 0; n < rules; n++) {
    const field = ['from', 'to', 'subject'][n % 3]
    const rule = { name: `Rule ${n}`, field, op: n % 2 ? 'is' : 'contains', value: `none such ${n}`, action: 'star' }
    assert.equal((await organization.request('POST', '/v1/filters', rule)).status, 201)
    const pattern = `spam${n}@bad.example`
    assert.equal((await organization.request('POST', '/v1/blocked-senders', { pattern })).status, 201)
  }
}
