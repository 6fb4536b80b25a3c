import type { Logger } from 'pino'
import { byService } from '#/base/audit/actor.ts'
import { record } from '#/base/audit/record.ts'
import type { CheckedRecord } from '#/base/db/schema/domains.ts'
import type { Db, Tx } from '#/base/db/schema.ts'
import type { SharedTime } from '#/base/db/time.ts'
import type { Follow } from '#/base/event-loop/follow.ts'
import type { Resolver } from '#/base/network/resolver.ts'
import type { SealingKey } from '#/base/secrets/seal.ts'
import { makeKeys, type SigningKey } from '../dkim/make-keys.ts'
import { type Finding, inspect, lookupFailed } from '../dns/inspect.ts'
import type { WantedRecord } from '../dns/records.ts'
import { type Domain, listedRecords, outstandingOf } from '../domain.ts'
import { domainById } from '../queries.ts'
import {
  type Claim,
  deleteRetired,
  failOthers,
  insertKeys,
  lockContenders,
  markSeen,
  retireKeys,
  writeCheck,
} from './queries.ts'
import { nextCheck, type Seen, type Standing, standingAfter } from './standing.ts'

export interface CheckDependencies {
  readonly db: Db
  readonly resolver: Resolver
  readonly time: SharedTime
  /** The key that seals private signing keys. */
  readonly sealingKey: SealingKey
  readonly hostname: string
  /** In milliseconds; see `Progress`. */
  readonly firstCheckAfter: number
  readonly log: Logger
  readonly follow?: Follow | undefined
}

/** How long a retired key's record should stay: signed mail may be in queues for five days. */
const retirement = 7 * 24 * 3_600_000

/** How long all lookups for one record may take, in milliseconds. */
const patience = 30_000

interface Look {
  readonly record: WantedRecord
  readonly finding: Finding
}

/** Looks up every record of a domain, and stores the findings and the resulting standing. Stores nothing if the lease is
 *  lost or the domain is deleted. @throws the reason of `signal`; then nothing was stored */
export async function checkDomain(at: CheckDependencies, claim: Claim, signal: AbortSignal): Promise<void> {
  const domain = await domainById(at.db, claim.organizationId, claim.id)
  if (!domain || domain.standing.status === 'failed') return
  const records = listedRecords(domain, at.hostname)
  const looks = await Promise.all(records.map((record) => lookAt(at, record, domain.domain, signal)))
  const issued = domain.keys.length === 0 ? await makeKeys(at.sealingKey) : []
  signal.throwIfAborted()
  const now = await at.time(at.db)
  await at.db.transaction().execute((tx) => settle(at, tx, claim, { domain, looks, issued, now }))
}

async function lookAt(at: CheckDependencies, record: WantedRecord, domain: string, signal: AbortSignal): Promise<Look> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(patience)])
  try {
    return { record, finding: await unlessAborted(inspect(at.resolver, record, domain), inTime) }
  } catch (err) {
    signal.throwIfAborted()
    if (!inTime.aborted)
      at.log.error({ err, domain, record: record.purpose }, 'the lookup of a record failed with an internal error')
    return { record, finding: lookupFailed(inTime.aborted ? 'timeout' : 'internal') }
  }
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

interface CheckResult {
  readonly domain: Domain
  readonly looks: readonly Look[]
  readonly issued: readonly SigningKey[]
  readonly now: Date
}

/** Locks all enrolments of the domain, so that of two organizations that prove it at once one is the first. */
async function settle(
  at: CheckDependencies,
  tx: Tx,
  claim: Claim,
  { domain, looks, issued, now }: CheckResult,
): Promise<void> {
  const contenders = await lockContenders(tx, domain.domain)
  const own = contenders.find(({ id, epoch }) => id === claim.id && epoch === claim.epoch)
  if (!own) return
  const held = contenders.some(({ id, standing }) => id !== own.id && standing.ownership.verifiedAt !== null)
  const standing = standingAfter(own.standing, { ...seenIn(looks), held }, now)
  const proven = own.standing.ownership.verifiedAt === null && standing.ownership.verifiedAt !== null
  if (proven) {
    await failOthers(tx, domain.domain, own.id)
    for (const other of contenders.filter(({ id }) => id !== own.id))
      await recordStatus(tx, other, domain.domain, other.standing.status, 'failed')
  }
  const findings = looks.map((look) => checked(domain, held ? contested(look) : look, now))
  await updateKeys(tx, claim, { looks, issued, now })
  await writeCheck(tx, claim, {
    standing,
    findings,
    now,
    nextCheckAt: due(at, { domain, issued, now }, standing, findings),
  })
  await recordStatus(tx, domain, domain.domain, own.standing.status, standing.status)
  report(at.log, domain, own.standing, standing)
}

function seenIn(looks: readonly Look[]): Pick<Seen, 'ownership' | 'receiving'> {
  const seen = (purpose: string) => looks.find(({ record }) => record.purpose === purpose)?.finding.satisfied ?? null
  return { ownership: seen('ownership'), receiving: seen('mx') }
}

/** The token is published and proves nothing, which its publisher must learn. */
function contested(look: Look): Look {
  if (look.record.purpose !== 'ownership' || !look.finding.satisfied) return look
  const fix =
    'Another organization has proven that it owns this domain. Remove its record from the same name, and keep yours: ' +
    'once the other record has been gone for 72 hours, the domain is yours'
  return { ...look, finding: { ...look.finding, satisfied: false, problem: 'conflict', fix } }
}

/** A failed lookup leaves `satisfied` as it was. */
function checked(domain: Domain, { record, finding }: Look, now: Date): CheckedRecord {
  const { type, name, value, priority } = record
  const before = domain.findings.find((one) => one.type === type && one.name === name && one.value === value)
  return {
    type,
    name,
    value,
    priority,
    satisfied: finding.satisfied ?? before?.satisfied ?? false,
    checked_at: now.toISOString(),
    found: finding.found.slice(0, mostFound).map(kept),
    problem: finding.problem,
    fix: finding.fix,
  }
}

const mostFound = 10

/** The DNS may have anything; PostgreSQL stores neither U+0000 nor a lone surrogate. */
function kept(text: string): string {
  return text.slice(0, 1_000).toWellFormed().replaceAll('\0', '\ufffd')
}

async function updateKeys(tx: Tx, claim: Claim, { looks, issued, now }: Omit<CheckResult, 'domain'>): Promise<void> {
  if (issued.length > 0) return await insertKeys(tx, claim, issued, now)
  const seen = looks.filter(({ record, finding }) => record.purpose === 'dkim' && finding.satisfied)
  const selectors = seen.map(({ record }) => record.name.slice(0, record.name.indexOf('.')))
  await markSeen(tx, claim, selectors, now)
  await retireKeys(tx, claim, new Date(now.getTime() + retirement))
  await deleteRetired(tx, claim, now)
}

function due(
  at: CheckDependencies,
  { domain, issued, now }: Omit<CheckResult, 'looks'>,
  standing: Standing,
  findings: readonly CheckedRecord[],
): Date | null {
  const madeAt = issued.length > 0 ? now : (domain.keys.at(-1)?.madeAt ?? null)
  const outstanding = outstandingOf(listedRecords({ ...domain, findings }, at.hostname)).length + issued.length
  const progress = { outstanding, keysMadeAt: madeAt, firstCheckAfter: at.firstCheckAfter }
  return nextCheck(standing, progress, now, Math.random())
}

async function recordStatus(
  tx: Tx,
  { organizationId, id }: Pick<Domain, 'organizationId' | 'id'>,
  name: string,
  was: Standing['status'],
  is: Standing['status'],
): Promise<void> {
  const [before, after] = [{ status: was }, { status: is }]
  await record(tx, byService, { organizationId, action: 'domain.status_changed', id, name, before, after })
}

function report(log: Logger, { domain, organizationId }: Domain, before: Standing, after: Standing): void {
  if (before.status === after.status) return
  log.info({ domain, organization_id: organizationId, was: before.status, is: after.status }, 'a domain changed status')
}
