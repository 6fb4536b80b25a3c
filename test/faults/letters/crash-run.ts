import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Database } from '#/base/db/open.ts'
import { CrashingService } from '#test/faults/kill/crashing-service.ts'
import { databaseHome } from '#test/world/database/database.ts'
import { startDnsServer } from '#test/world/dns/dns-server.ts'
import { each } from '#test/world/each.ts'
import { type StoredOrganization, storeOrganization } from '#test/world/organization/stored-organization.ts'
import { check, type Verdict } from './checker.ts'
import type { Killing } from './post-office.ts'
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
  const env = { ...home.env, MAILROOM_DNS_SERVERS: dns.address }
  const mortal = new CrashingService(env, (kills) => (goOn(kills) ? someMoment() : undefined))
  using senders = new Senders(async () => (await mortal.running()).smtp.port, organization.addresses)
  const labels: Labels = new Map()
  const done = new AbortController()
  {
    await using _ended = mortal
    senders.start(count)
    const labelling = makeLabels({ mortal, organization, senders, labels }, done.signal)
    await mortal.last()
    done.abort()
    await Promise.all([senders.stop(), labelling])
  }
  const seconds = Math.round((performance.now() - since) / 1000)
  await using database = await home.open()
  const { kills, complaints } = mortal
  return { seconds, kills, complaints, ...(await account(database, senders, labels)) }
}

type Labels = Map<string, { attempts: number; acknowledged: boolean }>

/** One kill in five comes while it starts. Of the others half come at any statement, and half between the commit of a message and its 250. */
function someMoment(): Killing {
  const some = (most: number, text = '') => Array.from({ length: 1 + Math.random() * most }, () => text)
  if (Math.random() < 0.2) return { statements: some(50), when: 'before' }
  if (Math.random() < 0.5) return { statements: some(500), when: 'before' }
  return { statements: some(40, 'insert into arrivals'), when: 'after' }
}

interface Labelling {
  readonly mortal: CrashingService
  readonly organization: StoredOrganization
  /** A label is made as often as so many letters are answered. */
  readonly senders: Senders
  readonly labels: Labels
}

/** One label after the other, as many as a key may make in a minute, each repeated under its Idempotency-Key until it is answered. */
async function makeLabels({ mortal, organization, senders, labels }: Labelling, done: AbortSignal): Promise<void> {
  const ended = once(done, 'abort')
  while (!done.aborted && labels.size < 550) {
    const name = randomUUID().slice(0, 32)
    const label = { attempts: 0, acknowledged: false }
    labels.set(name, label)
    while (!label.acknowledged)
      try {
        const { http } = await mortal.running()
        label.attempts += 1
        const { key } = organization
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': name }
        const answer = await fetch(`${http}/v1/labels`, { method: 'POST', headers, body: JSON.stringify({ name }) })
        label.acknowledged = answer.status === 201
        if (!label.acknowledged)
          throw new Error(`a label is answered with ${answer.status}: ${mortal.complaints.join('\n')}`)
      } catch (error) {
        if (!(error instanceof TypeError)) throw error // which is how fetch says that the connection broke
      }
    await Promise.race([senders.see(20, 'answered'), ended])
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
