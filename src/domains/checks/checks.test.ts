// On both databases: workers lease domains from each other.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import { pino } from 'pino'
import { byOperator } from '#/base/audit/actor.ts'
import { LookupFailed } from '#/base/errors.ts'
import type { Resolver } from '#/base/network/resolver.ts'
import { sealingKey } from '#/base/secrets/seal.ts'
import { createOrganization } from '#/people/organizations/register.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { keyring } from '#test/world/installation.ts'
import { enrolDomain } from '../enrol.ts'
import { domainById } from '../queries.ts'
import type { CheckDependencies } from './check.ts'
import { DomainChecks } from './checks.ts'
import { claimDue } from './queries.ts'

const minute = 60_000
const database = await databaseOfFile()

let now = Date.parse('2026-06-01T00:00:00Z')
beforeEach(async () => {
  now += minute
  await database.db.updateTable('domains').set({ next_check_at: null }).execute()
})

const nobody = async () => []
const nothing: Resolver = {
  ...{ txt: nobody, mx: nobody, a: nobody, aaaa: nobody, cname: nobody, ptr: nobody },
  exists: async () => false,
}

/** The checks of one process, which asks this resolver. */
function checks(resolver: Partial<Resolver> = {}, change: Partial<CheckDependencies> = {}): DomainChecks {
  return new DomainChecks({
    db: database.db,
    resolver: { ...nothing, ...resolver },
    time: async () => new Date(now),
    sealingKey: sealingKey(keyring, 'dkim'),
    hostname: 'mx.mailroom.test',
    firstCheckAfter: minute,
    log: pino({ level: 'silent' }),
    ...change,
  })
}

/** A domain of an organization of its own that has been due for as long as it is told. */
async function enrol(domain: string, dueFor = 0): Promise<{ organizationId: string; id: string }> {
  const { id: organizationId } = await createOrganization(database.db, { name: randomUUID(), plan: 'free' }, byOperator)
  const enrolment = { organizationId, domain, now: new Date(now), firstCheckAfter: -dueFor }
  return await database.db.transaction().execute((tx) => enrolDomain(tx, enrolment, byOperator))
}

async function found({ organizationId, id }: { organizationId: string; id: string }) {
  const domain = await domainById(database.db, organizationId, id)
  assert.ok(domain)
  return domain
}

/** Counts how often each name is asked for. */
function counting() {
  const asked = new Map<string, number>()
  const txt = async (name: string) => {
    asked.set(name, (asked.get(name) ?? 0) + 1)
    return []
  }
  return { asked, txt }
}

test('each due domain is checked once, by whichever of several processes comes first', async () => {
  const domains = await Promise.all(Array.from({ length: 12 }, (_, n) => enrol(`many-${n}.test`)))
  const { asked, txt } = counting()
  const rounds = [checks({ txt }).run(), checks({ txt }).run(), checks({ txt }).run()] as const
  const counts = await Promise.all(rounds)
  assert.equal(counts[0] + counts[1] + counts[2], 12)
  for (let n = 0; n < 12; n++) assert.equal(asked.get(`_mailroom-challenge.many-${n}.test`), 1)
  for (const domain of domains) {
    const { keys, nextCheckAt } = await found(domain)
    assert.equal(keys.length, 2)
    assert.ok(nextCheckAt && nextCheckAt.getTime() > now)
  }
})

test('a domain that is not due is left alone', async () => {
  await enrol('early.test', -minute)
  assert.equal(await checks().run(), 0)
  now += minute
  assert.equal(await checks().run(), 1)
})

test('eight are checked at once, and no more', async () => {
  await Promise.all(Array.from({ length: 12 }, (_, n) => enrol(`most-${n}.test`)))
  const eight = Promise.withResolvers<void>()
  let open = 0
  let most = 0
  const mx = async () => {
    most = Math.max(most, ++open)
    if (open === 8) eight.resolve()
    await eight.promise
    open -= 1
    return []
  }
  assert.equal(await checks({ mx }).run(), 12)
  assert.equal(most, 8)
})

test('a domain whose lookups fail, hang or have the worst answers does not delay the others', async () => {
  const broken = await enrol('broken.test', 3)
  const silent = await enrol('silent.test', 2)
  const hostile = await enrol('hostile.test', 1)
  const other = await enrol('other.test')
  const txt = async (name: string) => {
    if (name.endsWith('broken.test')) throw new TypeError('a bug')
    if (name.endsWith('silent.test')) throw new LookupFailed(name, 'timeout')
    if (name.endsWith('hostile.test')) return Array<string>(50).fill(`\0\ud800${'x'.repeat(100_000)}`)
    return []
  }
  assert.equal(await checks({ txt }).run(), 4)
  const problem = async (of: typeof broken) => (await found(of)).findings[0]?.problem
  const problems = await Promise.all([broken, silent, hostile, other].map(problem))
  assert.deepEqual(problems, ['lookup_failed', 'lookup_failed', 'mismatch', 'missing'])
  const { findings } = await found(hostile)
  assert.ok(JSON.stringify(findings).length < 100_000, 'what is kept of it is bounded')
})

test('a check that fails with an internal error is deferred, and the next round skips it', async () => {
  const domain = await enrol('unsealed.test')
  // Where no key can be made the check cannot be finished.
  const sealingKey = {
    get keys(): never {
      throw new Error('No key')
    },
  }
  const failing = checks({}, { sealingKey })
  assert.equal(await failing.run(), 1)
  assert.equal(await failing.run(), 0)
  const { nextCheckAt, lastCheckedAt } = await found(domain)
  assert.deepEqual([nextCheckAt?.getTime(), lastCheckedAt], [now + 5 * minute, null])
  now += 5 * minute
  assert.equal(await checks().run(), 1)
})

test('a process that dies in a check holds the domain up for no longer than the lease', async () => {
  const domain = await enrol('orphan.test')
  const claim = await claimDue(database.db, new Date(now))
  assert.equal(claim?.id, domain.id)
  assert.equal(await checks().run(), 0)
  now += 3 * minute
  assert.equal(await checks().run(), 1)
})

test('a check that outlived its lease writes nothing', async () => {
  const domain = await enrol('overtaken.test')
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<string[]>()
  const txt = async (name: string) => {
    if (!name.startsWith('_mailroom-challenge')) return []
    asked.resolve()
    return await answer.promise
  }
  const slow = checks({ txt }).run()
  await asked.promise
  now += 4 * minute
  assert.equal(await checks().run(), 1)
  const { token, nextCheckAt } = await found(domain)
  answer.resolve([token])
  await slow
  const after = await found(domain)
  assert.equal(after.standing.ownership.verifiedAt, null)
  assert.equal(after.findings[0]?.problem, 'missing')
  assert.deepEqual(after.nextCheckAt, nextCheckAt)
  assert.equal(after.keys.length, 2)
})

test('a stop aborts current checks at once, and leaves them due', async () => {
  const domain = await enrol('stopped.test')
  const asked = Promise.withResolvers<void>()
  const txt = async () => {
    asked.resolve()
    return await new Promise<never>(() => {})
  }
  const stopping = checks({ txt })
  const round = stopping.run()
  await asked.promise
  await stopping[Symbol.asyncDispose]()
  assert.equal(await round, 1)
  const { nextCheckAt, lastCheckedAt } = await found(domain)
  assert.deepEqual([nextCheckAt?.getTime(), lastCheckedAt], [now, null])
})

test('of two organizations that prove a domain at the same moment, on two processes, one has it', async () => {
  for (let round = 0; round < 3; round++) {
    const name = `race-${round}.test`
    const claims = await Promise.all([enrol(name), enrol(name), enrol(name)])
    const tokens = await Promise.all(claims.map(async (claim) => (await found(claim)).token))
    const resolver = { txt: async () => tokens, mx: async () => [{ exchange: 'mx.mailroom.test', priority: 10 }] }
    await Promise.all([checks(resolver), checks(resolver), checks(resolver)].map((one) => one.run()))
    const standings = await Promise.all(claims.map(async (claim) => (await found(claim)).standing))
    assert.deepEqual(standings.map(({ status }) => status).sort(), ['failed', 'failed', 'verified'])
    assert.equal(standings.filter(({ ownership }) => ownership.verifiedAt).length, 1)
  }
})
