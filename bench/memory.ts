import { readFileSync } from 'node:fs'
import { databaseHome } from '#test/world/database/database.ts'
import { startDnsServer } from '#test/world/dns/dns-server.ts'
import { storeOrganization } from '#test/world/organization/stored-organization.ts'
import { startService } from '#test/world/service.ts'
import { Load } from './load/load.ts'
import type { SmtpWork } from './load/smtp-load.ts'
import type { Row } from './report.ts'

/** What a service of its own has of memory once so many messages of 5 KB have come in: its resident set, in MB. */
export async function memory({ messages = 10_000, connections = 20 } = {}): Promise<Row[]> {
  await using home = await databaseHome()
  const { addresses: recipients } = await storeOrganization(home, { domain: 'bench.test', mailboxes: ['ada', 'grace'] })
  await using dns = await startDnsServer({ 'peer.example': { txt: ['v=spf1 ip4:127.0.0.1 -all'] } })
  const service = await startService({ ...home.env, MAILROOM_DNS_SERVERS: dns.address })
  try {
    await using load = new Load<SmtpWork, number>('smtp-load.ts')
    const before = residentMb(service.process.pid)
    await load.run({ port: service.smtp.port, connections, messages, recipients, octets: 5_000 })
    const value = residentMb(service.process.pid)
    const embedded = !('DATABASE_URL' in home.env)
    const from = `${before.toFixed(0)} MB before`
    return [{ what: `resident after ${messages} messages`, value, unit: 'MB', ...(embedded && { most: 450 }), from }]
  } finally {
    await service.end('SIGTERM')
  }
}

function residentMb(pid: number | undefined): number {
  const [, kb] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kb) / 1024
}
