import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ZoneRecords } from '#/base/network/resolver.ts'
import { ZoneResolver } from '#/domains/resolver/zone.ts'
import { anyCharacter } from '#test/world/any-character.ts'
import { awaitedGrowsTooFast } from '#test/world/observe/growth.ts'
import { inspect } from './inspect.ts'
import { wantedRecords } from './records.ts'

const host = 'mx.mailroom.test'
const key = `MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A${'Zx9+/aBc'.repeat(45)}IDAQAB`
const keys = [{ selector: 'r1', algorithm: 'rsa', publicKey: key }] as const
const records = wantedRecords({ domain: 'mail.example.com', token: 'token', keys }, host)
const values = records.map(({ value }) => value)

const pieces = [
  ...['v=spf1', 'v=DMARC1', 'v=DKIM1', ';', ' ', '"', '\\', 'p=', 'p=none', 'k=rsa', 'a:', host, key, '-all', '~all'],
  ...['redirect=', 'include:', '%{i}', 'ip4:', '\0', '\ud800', 'TXT', 'IN', "'", '“', ...values],
]
const piece = fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: anyCharacter, maxLength: 4 }))
const texts = fc.array(piece, { maxLength: 12 }).map((all) => all.join(''))
const names = fc.constantFrom(...records.map(({ name }) => name), host, 'example.com', '192.0.2.1', '', 'x\0y', 'a..b')
const txt = fc.array(texts, { maxLength: 4 })
const mx = fc.array(fc.record({ exchange: names, priority: fc.nat(20) }), { maxLength: 4 })
const zoneRecords: fc.Arbitrary<ZoneRecords> = fc.oneof(
  fc.record({ txt, mx, a: fc.array(fc.ipV4(), { maxLength: 2 }) }, { requiredKeys: [] }),
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

test('an answer is read in time in proportion to its length', async () => {
  const slow: string[] = []
  for (const filling of fillings)
    for (const start of ['', 'v=spf1 ', 'v=DMARC1; ', 'v=DKIM1; p='])
      for (const wanted of records) {
        const read = (text: string) =>
          inspect(new ZoneResolver({ [wanted.name]: { txt: [text] } }), wanted, 'mail.example.com')
        const textOf = (size: number) => (start + filling.repeat(size)).slice(0, size)
        if (await awaitedGrowsTooFast(read, textOf)) slow.push(`${wanted.purpose} ${JSON.stringify(start + filling)}`)
      }
  assert.deepEqual(slow, [])
})

test('as many records as an answer carries are read in time in proportion to their number', async () => {
  for (const wanted of records.filter(({ type }) => type !== 'CNAME')) {
    const look = async ({ length }: string) => {
      const txt = Array.from({ length }, (_, n) => `"v=spf1 ${n}`)
      const mx = Array.from({ length }, (_, n) => ({ exchange: `h${n}`, priority: n }))
      const resolver = new ZoneResolver({ [wanted.name]: { txt, mx } })
      assert.equal((await inspect(resolver, wanted, 'mail.example.com')).satisfied, false)
    }
    assert.equal(await awaitedGrowsTooFast(look, (size) => 'x'.repeat(size / 32)), false, wanted.purpose)
  }
})
