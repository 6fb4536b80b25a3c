import type { Logger } from 'pino'
import type { CheckedRecord, Db, Tx } from '#/db/schema.ts'
import type { SharedTime } from '#/db/time.ts'
import type { Follow } from '#/ports/follow.ts'
import type { Resolver } from '#/ports/resolver.ts'
import type { SealingKey } from '#/seal.ts'
import {
  type Claim,
  deleteRetired,
  failOthers,
  insertKeys,
  lockContenders,
  markSeen,
  retireKeys,
  writeCheck,
} from './check-queries.ts'
import { makeKeys, type SigningKey } from './dkim.ts'
import { type Domain, listedRecords, outstandingOf } from './domain.ts'
import { type Finding, inspect } from './inspect.ts'
import { domainById } from './queries.ts'
import type { WantedRecord } from './records.ts'
import { nextCheck, type Seen, type Standing, standingAfter } from './standing.ts'

/** What checking domains stands on. */
export interface Checking {
  readonly db: Db
  readonly resolver: Resolver
  readonly time: SharedTime
  /** Under which the private halves of signing keys are kept. */
  readonly sealingKey: SealingKey
  readonly hostname: string
  /** Milliseconds; `Progress` says what for. */
  readonly firstCheckAfter: number
  readonly log: Logger
  readonly follow?: Follow | undefined
}

/** How long a retired key's record should stay: mail that was signed with it may be on its way for five days. */
const retirement = 7 * 24 * 3_600_000

/** How long all look-ups for one record may take, in milliseconds. */
const patience = 30_000

/** What was found for a record. */
interface Look {
  readonly record: WantedRecord
  readonly finding: Finding
}

/**
 * Looks at every record of a domain, and writes down what was found and what follows. Nothing is written where the
 * claim is void by then, or the domain gone.
 * @throws what `signal` was aborted with; then nothing was written
 */
export async function checkDomain(at: Checking, claim: Claim, signal: AbortSignal): Promise<void> {
  const domain = await domainById(at.db, claim.organizationId, claim.id)
  if (!domain || domain.standing.status === 'failed') return
  const records = listedRecords(domain, at.hostname)
  const looks = await Promise.all(records.map((record) => lookAt(at, record, domain.domain, signal)))
  const issued = domain.keys.length === 0 ? await makeKeys(at.sealingKey) : []
  signal.throwIfAborted()
  const now = await at.time(at.db)
  await at.db.transaction().execute((tx) => settle(at, tx, claim, { domain, looks, issued, now }))
}

async function lookAt(at: Checking, record: WantedRecord, domain: string, signal: AbortSignal): Promise<Look> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(patience)])
  try {
    return { record, finding: await unlessAborted(inspect(at.resolver, record, domain), inTime) }
  } catch (err) {
    signal.throwIfAborted()
    if (!inTime.aborted) at.log.error({ err, domain, record: record.purpose }, 'a record could not be looked at')
    return { record, finding: { satisfied: null, found: [], problem: 'lookup_failed', fix: null } }
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

interface Outcome {
  readonly domain: Domain
  readonly looks: readonly Look[]
  readonly issued: readonly SigningKey[]
  readonly now: Date
}

/** All claims to the domain are locked meanwhile, so that of two that prove it at once one is the first. */
async function settle(at: Checking, tx: Tx, claim: Claim, { domain, looks, issued, now }: Outcome): Promise<void> {
  const contenders = await lockContenders(tx, domain.domain)
  const own = contenders.find(({ id, epoch }) => id === claim.id && epoch === claim.epoch)
  if (!own) return
  const held = contenders.some(({ id, standing }) => id !== own.id && standing.ownership.verifiedAt !== null)
  const standing = standingAfter(own.standing, { ...seenIn(looks), held }, now)
  const proven = own.standing.ownership.verifiedAt === null && standing.ownership.verifiedAt !== null
  if (proven) await failOthers(tx, domain.domain, own.id)
  const findings = looks.map((look) => checked(domain, held ? contested(look) : look, now))
  await updateKeys(tx, claim, { looks, issued, now })
  await writeCheck(tx, claim, {
    standing,
    findings,
    now,
    nextCheckAt: due(at, { domain, issued, now }, standing, findings),
  })
  report(at.log, domain, own.standing, standing)
}

function seenIn(looks: readonly Look[]): Pick<Seen, 'ownership' | 'receiving'> {
  const seen = (purpose: string) => looks.find(({ record }) => record.purpose === purpose)?.finding.satisfied ?? null
  return { ownership: seen('ownership'), receiving: seen('mx') }
}

/** The token is there and proves nothing, which whoever has published it should hear. */
function contested(look: Look): Look {
  if (look.record.purpose !== 'ownership' || !look.finding.satisfied) return look
  const fix =
    'Another organization has proven that it owns this domain. Remove its record from the same name, and keep yours: ' +
    'once the other record has been gone for 72 hours, the domain is yours'
  return { ...look, finding: { ...look.finding, satisfied: false, problem: 'conflict', fix } }
}

/** A look-up that failed leaves `satisfied` as it was. */
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

/** Anybody can put anything into the DNS; PostgreSQL takes neither U+0000 nor half a surrogate pair. */
function kept(text: string): string {
  return text.slice(0, 1_000).toWellFormed().replaceAll('\0', '\ufffd')
}

async function updateKeys(tx: Tx, claim: Claim, { looks, issued, now }: Omit<Outcome, 'domain'>): Promise<void> {
  if (issued.length > 0) return await insertKeys(tx, claim, issued, now)
  const seen = looks.filter(({ record, finding }) => record.purpose === 'dkim' && finding.satisfied)
  const selectors = seen.map(({ record }) => record.name.slice(0, record.name.indexOf('.')))
  await markSeen(tx, claim, selectors, now)
  await retireKeys(tx, claim, new Date(now.getTime() + retirement))
  await deleteRetired(tx, claim, now)
}

function due(
  at: Checking,
  { domain, issued, now }: Omit<Outcome, 'looks'>,
  standing: Standing,
  findings: readonly CheckedRecord[],
): Date | null {
  const madeAt = issued.length > 0 ? now : (domain.keys.at(-1)?.madeAt ?? null)
  const outstanding = outstandingOf(listedRecords({ ...domain, findings }, at.hostname)).length + issued.length
  const progress = { outstanding, keysMadeAt: madeAt, firstCheckAfter: at.firstCheckAfter }
  return nextCheck(standing, progress, now, Math.random())
}

function report(log: Logger, { domain, organizationId }: Domain, before: Standing, after: Standing): void {
  if (before.status === after.status) return
  log.info({ domain, organization_id: organizationId, was: before.status, is: after.status }, 'a domain changed status')
}
