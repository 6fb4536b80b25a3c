import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Database } from '#/db/open.ts'
import { startDnsServer } from '#test/dns/dns-server.ts'
import { each } from '#test/each.ts'
import { CrashingService, type Moment } from '#test/faults/kill/crashing-service.ts'
import { databaseHome } from '#test/world/database/database.ts'
import { type StoredOrganization, storeOrganization } from '#test/world/organization/stored-organization.ts'
import { check, type Verdict } from './checker.ts'
import { Senders } from './senders.ts'
import { discrepancies, lettersStored } from './stored.ts'

export interface Report {
  readonly seconds: number
  readonly kills: number
  /** Letters at their recipients. */
  readonly mail: Verdict
  /** Letters that were sent again. */
  readonly repeated: number
  /** Of `mail.duplicated` those that bear a Message-ID: none may be there twice. */
  readonly knownDuplicated: readonly string[]
  readonly refused: Readonly<Record<string, number>>
  readonly labels: Verdict
  readonly discrepancies: readonly string[]
  /** Lines of the service's log at level `error` or above. */
  readonly complaints: readonly string[]
}

/** Kills a service repeatedly while many senders send mail and a program creates labels; then compares what is
 *  stored with what was acknowledged. `goOn` is called before each kill. */
export async function crashRun(goOn: (kills: number) => boolean, { senders: count = 50 } = {}): Promise<Report> {
  await using home = await databaseHome()
  await using dns = await startDnsServer({})
  const organization = await storeOrganization(home, {
    domain: 'crash.test',
    mailboxes: ['ada', 'bob', 'cy', 'di', 'ed'],
  })
  const since = performance.now()
  const mortal = new CrashingService({ ...home.env, MAILROOM_DNS_SERVERS: dns.address })
  using senders = new Senders(async () => (await mortal.running()).smtp.port, organization.addresses)
  const labels: Labels = new Map()
  const done = new AbortController()
  {
    await using _ended = mortal
    senders.start(count)
    const labelling = makeLabels(mortal, organization, labels, done.signal)
    while (goOn(mortal.kills)) await mortal.kill(someMoment())
    done.abort()
    await Promise.all([senders.stop(), labelling])
  }
  const seconds = Math.round((performance.now() - since) / 1000)
  await using database = await home.open()
  const { kills, complaints } = mortal
  return { seconds, kills, complaints, ...(await account(database, senders, labels)) }
}

type Labels = Map<string, { attempts: number; acknowledged: boolean }>

/** One kill in five comes while it starts. The others come after it has taken mail for 0.7 s on the average, half of
 *  them between the commit of a message and its 250. */
function someMoment(): Moment {
  if (Math.random() < 0.2) return { starting: Math.random() * 1_000 }
  const after = { line: '"msg":"message stored"', ms: Math.random() * 1_400 }
  return Math.random() < 0.5 ? { after } : { after, at: after.line }
}

/** One label after the other, each repeated under its Idempotency-Key until it is answered. */
async function makeLabels(
  mortal: CrashingService,
  { key }: StoredOrganization,
  labels: Labels,
  done: AbortSignal,
): Promise<void> {
  while (!done.aborted && labels.size < 900) {
    const name = randomUUID().slice(0, 32)
    const label = { attempts: 0, acknowledged: false }
    labels.set(name, label)
    while (!label.acknowledged)
      try {
        const { http } = await mortal.running()
        label.attempts += 1
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': name }
        const answer = await fetch(`${http}/v1/labels`, { method: 'POST', headers, body: JSON.stringify({ name }) })
        label.acknowledged = answer.status === 201
        if (!label.acknowledged)
          throw new Error(`a label is answered with ${answer.status}: ${mortal.complaints.join('\n')}`)
      } catch (error) {
        if (!(error instanceof TypeError)) throw error // which is how fetch says that the connection broke
      }
    await setTimeout(Math.random() * 200)
  }
}

async function account(
  { db }: Database,
  senders: Senders,
  labels: Labels,
): Promise<Omit<Report, 'seconds' | 'kills' | 'complaints'>> {
  const mail = check(senders.attempts(), await Array.fromAsync(lettersStored(db)))
  const known = new Set(senders.letters.filter((letter) => letter.known).map(({ name }) => name))
  const made = await db.selectFrom('labels').select('name').where('name', '<>', 'Urgent').execute()
  return {
    mail,
    repeated: senders.letters.filter(({ attempts }) => attempts > 1).length,
    knownDuplicated: mail.duplicated.filter((name) => known.has(name.split(' at ')[0] ?? '')),
    refused: Object.fromEntries(senders.refused),
    labels: check(labels, each(made, 'name')),
    discrepancies: await discrepancies(db),
  }
}
