import assert from 'node:assert/strict'
import { databaseHome } from '#test/world/database/database.ts'
import { startDnsServer } from '#test/world/dns/dns-server.ts'
import { cpuTime } from '#test/world/observe/cpu-time.ts'
import { storeOrganization } from '#test/world/organization/stored-organization.ts'
import { startService } from '#test/world/service.ts'
import { Load } from './load/load.ts'
import type { SmtpWork } from './load/smtp-load.ts'
import { type Cost, rowsOf } from './log.ts'
import { inTurns, type Row } from './report.ts'
import { replacedBy } from './without/replaced.ts'

const [connections, octets] = [20, 5_000]
const withoutIndex = replacedBy('without-index.ts')

/** Mail that arrives while it is indexed for search, beside the same where none is; each is a process with a database of its own, which
 *  stands still while the other has its turn. */
export async function indexing({ messages = 1_000, rounds = 9 } = {}): Promise<Row[]> {
  await using resources = new AsyncDisposableStack()
  const dns = resources.use(await startDnsServer({}))
  const smtp = resources.use(new Load<SmtpWork, number>('smtp-load.ts'))

  const start = async (env: Record<string, string>) => {
    const home = resources.use(await databaseHome())
    const mailboxes = Array.from({ length: 10 }, (_, n) => `ada${n}`)
    const { addresses: recipients } = await storeOrganization(home, { domain: 'index.test', mailboxes })
    const service = await startService({ ...home.env, ...env, MAILROOM_DNS_SERVERS: dns.address })
    const { process, smtp: at } = service
    resources.defer(() => void process.kill('SIGKILL'))
    process.kill('SIGSTOP')
    const round = async (): Promise<Cost> => {
      process.kill('SIGCONT')
      const before = await cpuTime(process.pid)
      const ms = await smtp.run({ port: at.port, connections, messages, recipients, octets, words: true })
      const cpu = ((await cpuTime(process.pid)) - before) / messages
      process.kill('SIGSTOP')
      return { perSecond: (messages / ms) * 1_000, cpu }
    }
    /** Answers how many messages were indexed, and how many wait for it. */
    const end = async () => {
      process.kill('SIGCONT')
      await service.end('SIGTERM')
      await using database = await home.open()
      const { rows } = await database.pool.query<{ indexed: number; waiting: number }>(`
        select (select count(*)::integer from mail_search) as indexed,
          (select count(*)::integer from mail_search_queue) as waiting`)
      return rows[0] ?? { indexed: 0, waiting: 0 }
    }
    return { round, end }
  }
  const [bare, indexed] = [await start(withoutIndex), await start({})]
  const results = await inTurns(rounds, bare.round, indexed.round)
  assert.deepEqual(await bare.end(), { indexed: 0, waiting: 0 })
  const { indexed: done, waiting } = await indexed.end()
  assert.equal(done + waiting, messages * (rounds + 1))
  const [rate, cpu] = rowsOf({ what: 'messages that arrive', one: 'message', least: 0.85 }, results, (round) => round)
  return [rate, { ...cpu, what: `${cpu.what}, ${done} of ${done + waiting} indexed meanwhile` }]
}
