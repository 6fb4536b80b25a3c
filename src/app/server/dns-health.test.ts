import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LookupFailed } from '#/base/errors.ts'
import { ZoneResolver } from '#/domains/resolver/zone.ts'
import { DnsHealth } from './dns-health.ts'

for (const [what, names, away] of [
  ['none was made', [], false],
  ['two names failed', ['one.broken', 'two.broken'], false],
  ['one name failed often', ['one.broken', 'one.broken', 'one.broken', 'one.broken'], false],
  ['three names failed in a row', ['one.broken', 'two.broken', 'three.broken'], true],
  ['one between them was answered', ['one.broken', 'two.broken', 'here.example', 'three.broken'], false],
  ['one between them does not exist', ['one.broken', 'two.broken', 'nowhere.example', 'three.broken'], false],
  ['one is answered afterwards', ['one.broken', 'two.broken', 'three.broken', 'here.example'], false],
] as const) {
  test(`of lookups of which ${what} the DNS counts as ${away ? 'away' : 'there'}`, async () => {
    const zone = new ZoneResolver()
    zone.set('here.example', { a: ['192.0.2.1'] })
    for (const name of ['one', 'two', 'three']) zone.set(`${name}.broken`, { fails: 'timeout' })
    const health = new DnsHealth()
    const resolver = health.watched(zone)
    for (const name of names) await resolver.a(name).catch(() => {})
    assert.equal(health.isAway, away)
    zone.set('mx.example', { fails: 'servfail' })
    if (away) await assert.rejects(health.check(resolver, 'mx.example'), LookupFailed)
    zone.set('mx.example', undefined)
    await health.check(resolver, 'mx.example')
    assert.equal(health.isAway, false)
  })
}
