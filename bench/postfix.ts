import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { logDestination } from '#/app/server/log.ts'
import { DovecotServer } from '#test/peers/dovecot/imap-server.ts'
import { Postfix } from '#test/peers/postfix/postfix.ts'
import { certificateFor } from '#test/world/sockets/certificate.ts'
import { freePort } from '#test/world/sockets/free-port.ts'
import { World } from '#test/world/world.ts'
import { layRules, rules } from './arrival.ts'
import { inTurns, median, type Row } from './report.ts'

const run = promisify(execFile)
const sessions = 20
const octets = 5_000
/** Mail that is not delivered after so many milliseconds counts as lost. */
const lost = 300_000

/** Mail of Postfix's own `smtp-source` until all of it is delivered: to us, past 100 filters, and to Postfix with Dovecot's
 *  LMTP server behind it, past 100 rules in Sieve that look at the same and fit none. Both write to disk what they take. */
export async function postfix({ messages = 2_000, rounds = 5 } = {}): Promise<Row[]> {
  await using world = await World.start({ log: logDestination('/dev/null'), indexing: true })
  const organization = await world.organization({ plan: 'self_hosted' })
  const { address } = await organization.mailbox('ada')
  await layRules(organization)
  world.dns.set('peer.example', { txt: ['v=spf1 ip4:127.0.0.1 -all'] })
  await using peer = await startPeer()

  let sent = 0
  const ours = async () => {
    const ms = await timed(() => source(world.smtp.port, address, messages))
    sent += messages
    const { rows } = await world.database.pool.query('select count(*) as count from mail_messages')
    assert.equal(rows[0]?.count, sent, 'every message that was taken is in the mailbox')
    return (messages / ms) * 1000
  }
  const theirs = async () => {
    const before = await peer.delivered()
    const ms = await timed(async () => {
      await source(peer.port, 'ada@dest.test', messages)
      await until(
        async () => (await peer.delivered()) >= before + messages,
        () => peer.log(),
      )
    })
    return (messages / ms) * 1000
  }
  const results = await inTurns(rounds, theirs, ours)
  const of = (which: 'floor' | 'ours') => median(results.map((one) => one[which])).toFixed(0)
  return [
    {
      what: 'messages a second, until delivered',
      value: median(results.map((one) => one.ours / one.floor)),
      unit: '×',
      least: world.database.embedded ? 3 : 8,
      from: `${of('ours')} against ${of('floor')} of Postfix, Dovecot LMTP and Sieve`,
    },
  ]
}

async function source(port: number, to: string, messages: number): Promise<void> {
  const load = ['-d', '-s', String(sessions), '-l', String(octets), '-m', String(messages)]
  await run('/usr/sbin/smtp-source', [...load, '-f', 'ann@peer.example', '-t', to, `127.0.0.1:${port}`])
}

interface Peer extends AsyncDisposable {
  readonly port: number
  /** Messages that Dovecot has answered Postfix to have stored. */
  delivered(): Promise<number>
  /** The end of what Dovecot and Postfix have logged. */
  log(): Promise<string>
}

async function startPeer(): Promise<Peer> {
  await using starting = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'mailroom-sieve-'))
  starting.defer(() => rm(directory, { recursive: true, force: true }))
  await chmod(directory, 0o777) // Dovecot compiles the script as the user of the mailbox
  await writeFile(join(directory, 'rules.sieve'), sieve(), { mode: 0o644 })
  const lmtp = await freePort()
  const dovecot = starting.use(await DovecotServer.start(lmtpSettings(lmtp, directory)))
  const certificate = certificateFor('mx.dest.test')
  const mta = starting.use(
    await Postfix.start(
      {
        virtual_mailbox_domains: 'dest.test',
        virtual_mailbox_maps: 'inline:{ { ada@dest.test = ada/ } }',
        virtual_transport: `lmtp:inet:127.0.0.1:${lmtp}`,
        smtpd_tls_security_level: 'none',
        // What Dovecot defers is tried again within the round: by Postfix's own settings five minutes later.
        queue_run_delay: '5s',
        minimal_backoff_time: '5s',
        maximal_backoff_time: '5s',
      },
      certificate,
    ),
  )
  const started = starting.move()
  const logOfDovecot = () => readFile(join(dovecot.directory, 'log'), 'utf8')
  return {
    port: mta.port,
    async delivered() {
      const log = await logOfDovecot()
      return log.split(': stored mail into mailbox ').length - 1
    },
    async log() {
      return [await logOfDovecot(), await mta.log()].map((log) => log.slice(-5_000)).join('\n')
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

/** The rules that `layRules` gives us, in Sieve (RFC 5228). */
function sieve(): string {
  const tests = Array.from({ length: rules }, (_, n) => {
    const field = ['from', 'to', 'subject'][n % 3]
    return `if header :${n % 2 ? 'is' : 'contains'} "${field}" "none such ${n}" { addflag "\\\\Flagged"; }\n`
  })
  return `require "imap4flags";\n${tests.join('')}`
}

/** On top of the settings of the test's Dovecot, which does not write mail to disk at once. */
function lmtpSettings(port: number, directory: string): string {
  return `
    protocols = imap lmtp
    mail_fsync = optimized
    postmaster_address = postmaster@dest.test
    service lmtp {
      inet_listener lmtp {
        address = 127.0.0.1
        port = ${port}
      }
      process_min_avail = 2
    }
    protocol lmtp {
      mail_plugins = sieve
    }
    plugin {
      sieve_before = ${directory}/rules.sieve
    }
  `
}

async function until(done: () => Promise<boolean>, log: () => Promise<string>): Promise<void> {
  const end = performance.now() + lost
  while (!(await done())) {
    if (performance.now() > end) throw new Error(`the mail has not been delivered:\n${await log()}`)
    await wait(10)
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}
