import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ZoneResolver } from '#/adapters/resolver/zone.ts'
import type { ZoneRecords } from '#/ports/resolver.ts'
import { takesLess } from '#test/observe/cpu-time.ts'
import { inspect } from './inspect.ts'
import { wantedRecords } from './records.ts'

const host = 'mx.mailroom.test'
const key = `MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A${'Zx9+/aBc'.repeat(45)}IDAQAB`
const records = wantedRecords(
  { domain: 'mail.example.com', token: 'token', keys: [{ selector: 'r1', algorithm: 'rsa', publicKey: key }] },
  host,
)
const values = records.map(({ value }) => value)

const pieces = [
  'v=spf1',
  'v=DMARC1',
  'v=DKIM1',
  ';',
  ' ',
  '"',
  '\\',
  'p=',
  'p=none',
  'k=rsa',
  'a:',
  host,
  key,
  '-all',
  '~all',
]
const more = ['redirect=', 'include:', '%{i}', 'ip4:', '\0', '\ud800', 'TXT', 'IN', "'", '“', ...values]
const texts = fc
  .array(fc.oneof(fc.constantFrom(...pieces, ...more), fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 12 })
  .map((all) => all.join(''))
const names = fc.constantFrom(...records.map(({ name }) => name), host, 'example.com', '192.0.2.1', '', 'x\0y', 'a..b')
const zoneRecords: fc.Arbitrary<ZoneRecords> = fc.oneof(
  fc.record(
    {
      txt: fc.array(texts, { maxLength: 4 }),
      mx: fc.array(fc.record({ exchange: names, priority: fc.nat(20) }), { maxLength: 4 }),
      a: fc.array(fc.ipV4(), { maxLength: 2 }),
    },
    { requiredKeys: [] },
  ),
  fc.record({ cname: names }),
  fc.record({ fails: fc.constantFrom('timeout' as const, 'servfail' as const) }),
)

test('whatever the DNS holds, there is a finding that can be stored and acted on', async () => {
  const zones = fc.dictionary(names, zoneRecords, { maxKeys: 8 })
  await fc.assert(
    fc.asyncProperty(zones, async (zone) => {
      const resolver = new ZoneResolver(zone)
      for (const wanted of records) {
        const { satisfied, found, problem, fix } = await inspect(resolver, wanted, 'mail.example.com')
        assert.equal(satisfied, problem === null ? true : problem === 'lookup_failed' ? null : false)
        assert.ok(satisfied || fix)
        assert.ok(found.length <= 10 && found.every((text) => text.length <= 256))
        for (const text of [...found, fix ?? '']) assert.doesNotMatch(text, /[\p{Cc}\p{Cs}]/u)
        assert.ok((fix?.length ?? 0) < 1_500)
      }
    }),
    { numRuns: 300 },
  )
})

test('a failed lookup never counts as an absent record', async () => {
  const failing = fc.constantFrom('timeout' as const, 'servfail' as const)
  await fc.assert(
    fc.asyncProperty(failing, fc.dictionary(names, zoneRecords, { maxKeys: 4 }), async (fails, zone) => {
      for (const wanted of records) {
        const resolver = new ZoneResolver({ ...zone, [wanted.name]: { fails } })
        assert.equal((await inspect(resolver, wanted, 'mail.example.com')).satisfied, null)
      }
    }),
    { numRuns: 100 },
  )
})

/** Fills an answer, in forms that take a careless reader quadratic time. */
const fillings = ['x', ' ', ';', '; ', 'p=', 'p ', '"', '" ', '\\', 'a=b;', 'a:b ', 'include:x.test ', '\n', '\0', '“']

test('the largest answer that the DNS carries is read in a moment', async () => {
  const slow: string[] = []
  for (const filling of fillings)
    for (const start of ['', 'v=spf1 ', 'v=DMARC1; ', 'v=DKIM1; p=']) {
      const text = (start + filling.repeat(64_000)).slice(0, 64_000)
      const resolver = new ZoneResolver(Object.fromEntries(records.map(({ name }) => [name, { txt: [text] }])))
      for (const wanted of records) {
        const quick = await takesLess(100, () => inspect(resolver, wanted, 'mail.example.com'))
        if (!quick) slow.push(`${wanted.purpose} ${JSON.stringify(start + filling)}`)
      }
    }
  assert.deepEqual(slow, [])
})

test('as many records as an answer carries are read in a moment', async () => {
  const txt = Array.from({ length: 2_000 }, (_, n) => `"v=spf1 ${n}`)
  const mx = Array.from({ length: 2_000 }, (_, n) => ({ exchange: `h${n}`, priority: n }))
  const wanted = records.filter(({ type }) => type !== 'CNAME')
  const resolver = new ZoneResolver(Object.fromEntries(records.map(({ name }) => [name, { txt, mx }])))
  for (const record of wanted) {
    const look = async () => assert.equal((await inspect(resolver, record, 'mail.example.com')).satisfied, false)
    assert.ok(await takesLess(100, look), record.purpose)
  }
})
