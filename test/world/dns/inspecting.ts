import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ZoneRecords } from '#/base/network/resolver.ts'
import { type Finding, inspect } from '#/domains/dns/inspect.ts'
import { type WantedRecord, wantedRecords } from '#/domains/dns/records.ts'
import { ZoneResolver } from '#/domains/resolver/zone.ts'

/** This installation, as records name it. */
export const host = 'mx.mailroom.test'
export const token = 'Tq7sM1xP9vB3'
export const rsa = `MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A${'Zx9+/aBc'.repeat(45)}IDAQAB`
export const ed25519 = '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo='

export type Zone = Readonly<Record<string, ZoneRecords>>

/** The finding on the first record of a purpose, given what the DNS holds. */
export async function findingOn(purpose: WantedRecord['purpose'], zone: Zone, domain = 'example.com') {
  const keys = [
    { selector: 'r1', algorithm: 'rsa', publicKey: rsa },
    { selector: 'e1', algorithm: 'ed25519', publicKey: ed25519 },
  ] as const
  const wanted = wantedRecords({ domain, token, keys }, host).find((record) => record.purpose === purpose)
  assert.ok(wanted)
  return await inspect(new ZoneResolver(zone), wanted, domain)
}

type Case = readonly [what: string, zone: Zone, problem: Finding['problem'], fix?: RegExp | undefined, domain?: string]

export function table(purpose: WantedRecord['purpose'], cases: readonly Case[]): void {
  describe(purpose, () => {
    for (const [what, zone, problem, fix, domain] of cases)
      test(`${what}: ${problem ?? 'satisfied'}`, async () => {
        const finding = await findingOn(purpose, zone, domain)
        assert.equal(finding.problem, problem, JSON.stringify(finding))
        assert.equal(finding.satisfied, problem === null ? true : problem === 'lookup_failed' ? null : false)
        if (fix) assert.match(finding.fix ?? '', fix)
        else assert.equal(finding.fix, null)
      })
  })
}

/** MX records as a zone holds them. */
export const mx = (...exchanges: readonly (readonly [number, string])[]) => ({
  mx: exchanges.map(([priority, exchange]) => ({ priority, exchange })),
})

/** Our own addresses. */
export const ours = { [host]: { a: ['192.0.2.25'], aaaa: ['2001:db8::25'] } }
