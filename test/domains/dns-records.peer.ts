import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Resolver } from '#/base/network/resolver.ts'
import { type Finding, inspect } from '#/domains/dns/inspect.ts'
import { type WantedRecord, wantedRecords } from '#/domains/dns/records.ts'
import { zoneFile } from '#/domains/dns/zone-file.ts'
import { DnsResolver } from '#/domains/resolver/dns.ts'
import { quorumOf } from '#/domains/resolver/quorum.ts'
import { Knot } from '#test/peers/knot.ts'
import { startDnsServer } from '#test/world/dns/dns-server.ts'
import { onceTold, telling } from '#test/world/observe/writes.ts'
import { mailroom, startService } from '#test/world/service.ts'

const host = 'mx.example.net'
const hostZone = 'mx A 192.0.2.25\nmx AAAA 2001:db8::25\nalias CNAME mx'
const domain = 'example.com'
const records = wantedRecords({ domain, token: 'Tq7sM1xP9vB3', keys: keys() }, host)
const file = zoneFile(domain, records)

function keys() {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey
  const ed25519 = generateKeyPairSync('ed25519').publicKey
  const rsaKey = rsa.export({ type: 'spki', format: 'der' }).toString('base64')
  const ed25519Key = ed25519.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64')
  return [
    { selector: 'r1', algorithm: 'rsa', publicKey: rsaKey },
    { selector: 'e1', algorithm: 'ed25519', publicKey: ed25519Key },
  ] as const
}

function recordFor(purpose: WantedRecord['purpose'], of = records): WantedRecord {
  const record = of.find((one) => one.purpose === purpose)
  assert.ok(record)
  return record
}

/** The problem of every record, by its name and type. */
async function problems(resolver: Resolver): Promise<Record<string, Finding['problem']>> {
  const findings = records.map(async (record) => {
    const { problem, satisfied } = await inspect(resolver, record, domain)
    assert.equal(satisfied, problem === null ? true : problem === 'lookup_failed' ? null : false)
    return [`${record.type} ${record.name}`, problem] as const
  })
  return Object.fromEntries(await Promise.all(findings))
}

function all(problem: Finding['problem']): Record<string, Finding['problem']> {
  return Object.fromEntries(records.map(({ type, name }) => [`${type} ${name}`, problem]))
}

describe('records in a real name server', () => {
  let knot: Knot
  let resolver: Resolver
  before(async () => {
    knot = await Knot.start(domain, 'example.net')
    await knot.publish('example.net', hostZone)
    resolver = new DnsResolver({ servers: [knot.address], patience: 5_000 })
  })
  after(() => knot[Symbol.asyncDispose]())

  test('are missing while nothing is published, satisfied once the zone file is pasted, and missing again', async () => {
    await knot.publish(domain, '')
    assert.deepEqual(await problems(resolver), all('missing'))
    await knot.publish(domain, file)
    assert.deepEqual(await problems(resolver), all(null))
    await knot.publish(domain, '')
    assert.deepEqual(await problems(resolver), all('missing'))
  })

  test('are unknown while the server fails or is silent, and satisfied once it answers', async () => {
    await knot.fail(domain)
    assert.deepEqual(await problems(resolver), all('lookup_failed'))
    await knot.publish(domain, file)
    await knot.silence()
    assert.deepEqual(await problems(resolver), all('lookup_failed'))
    await knot.speak(domain)
    assert.deepEqual(await problems(resolver), all(null))
  })

  test('are found in answers that are cut off in datagrams', async () => {
    const crowd = Array.from({ length: 60 }, (_, n) => `@ TXT "${n} ${'x'.repeat(240)}" "${'y'.repeat(250)}"`)
    const exchanges = Array.from({ length: 60 }, (_, n) => `@ MX 50 a-backup-with-a-long-name-${n}.example.net.`)
    await knot.publish(domain, [file, ...crowd, ...exchanges].join('\n'))
    assert.equal((await resolver.txt(domain)).length, 61)
    assert.deepEqual(await problems(resolver), all(null))
  })

  // What there is to say of records, src/domains/dns has: here is what the DNS could make of them.
  const key = recordFor('dkim').value
  const below = 'shop.example.com'
  for (const [what, lines, purpose, problem, fix, of = domain] of [
    ['the value in quotes', `_dmarc TXT "\\"v=DMARC1; p=none\\""`, 'dmarc', 'mismatch', /^Quotation marks/],
    ['curly quotes', `_dmarc TXT "\\226\\128\\156v=DMARC1; p=none\\226\\128\\157"`, 'dmarc', 'mismatch', /^Quotation/],
    ['a backslash', `_dmarc TXT "v=DMARC1\\\\; p=none"`, 'dmarc', 'mismatch', /^Backslashes/],
    ['the key cut off', `r1._domainkey TXT "${key.slice(0, 255)}"`, 'dkim', 'mismatch', /cut off after 237 of 392/],
    ['a CNAME in the way', '_mailroom-challenge CNAME x.example.net.', 'ownership', 'conflict', /^\S+ has a CNAME/],
    ['an alias for the whole', 'shop CNAME x.example.net.', 'mx', 'conflict', /^\S+ has a CNAME/, below],
    ['an MX that is an alias', '@ MX 10 alias.example.net.', 'mx', 'mismatch', /alias \(CNAME\) of mx\.example\.net/],
    ['a null MX', '@ MX 0 .', 'mx', 'mismatch', /null MX/],
  ] as const)
    test(`${what} is named at the ${purpose} record`, async () => {
      await knot.publish(domain, lines)
      const enrolment = { domain: of, token: 'Tq7sM1xP9vB3', keys: keys() }
      const wanted = of === domain ? recordFor(purpose) : recordFor(purpose, wantedRecords(enrolment, host))
      const finding = await inspect(resolver, wanted, of)
      assert.equal(finding.problem, problem, JSON.stringify(finding))
      assert.match(finding.fix ?? '', fix)
    })

  test('many aliases in a row and aliases in a circle are bounded, and change nothing', async () => {
    const links = Array.from({ length: 20 }, (_, n) => `link-${n} CNAME link-${n + 1}`)
    await knot.publish(domain, `_mailroom-challenge CNAME link-0\n${links.join('\n')}\n_dmarc CNAME _dmarc`)
    const [ownership, dmarc] = await Promise.all([
      inspect(resolver, recordFor('ownership'), domain),
      inspect(resolver, recordFor('dmarc'), domain),
    ])
    assert.deepEqual([ownership.satisfied, dmarc.satisfied], [null, null])
  })
})

test('one name server that forges does not count against two that do not', async () => {
  await using one = await Knot.start(domain, 'example.net')
  await using two = await Knot.start(domain, 'example.net')
  for (const knot of [one, two]) {
    await knot.publish(domain, file)
    await knot.publish('example.net', hostZone)
  }
  const [challenge] = records
  await using forger = await startDnsServer({ [challenge?.name ?? '']: { txt: ['forged'] }, [domain]: { txt: [] } })
  const resolver = quorumOf([forger.address, one.address, two.address], 1_000)
  assert.deepEqual(await problems(resolver), all(null))
  await two.fail(domain)
  assert.deepEqual(await problems(resolver), { ...all('lookup_failed') })
})

test('a service as an operator runs it finds the records by itself', async () => {
  await using knot = await Knot.start(domain)
  await using directory = await mkdtempDisposable(join(tmpdir(), 'mailroom-'))
  const env = {
    MAILROOM_DATA_DIR: directory.path,
    MAILROOM_HOSTNAME: host,
    MAILROOM_DNS_SERVERS: knot.address,
    MAILROOM_DNS_FIRST_CHECK_SECONDS: '1',
  }
  const service = await startService(telling(['domains'], env))
  assert.equal((await mailroom(env, 'org', 'create', 'Acme')).code, 0)
  const made = await mailroom(env, 'key', 'create', '--org', 'Acme', '--scopes', 'all', '--json')
  const { key } = JSON.parse(made.stdout) as { key: string }
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const post = { method: 'POST', headers, body: JSON.stringify({ domain }) }
  const { id } = (await (await fetch(`${service.http}/v1/domains`, post)).json()) as { id: string }
  const ask = async (path = '') => await fetch(`${service.http}/v1/domains/${id}${path}`, { headers })
  await knot.publish(domain, await (await ask('/zone')).text())
  await onceTold([service], async () => ((await (await ask()).json()) as { status: string }).status === 'verified')
  assert.equal((await service.end('SIGTERM')).code, 0)
})
