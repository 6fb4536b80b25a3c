import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ZoneResolver } from '#/domains/resolver/zone.ts'
import { testDatabase } from '#test/world/database/database.ts'
import { Enrolled } from '#test/world/dns/enrolled.ts'
import { World } from '#test/world/world.ts'
import { reservedZones, tryoutDns } from './zone.ts'

test('in the try-out an enrolled domain under a reserved name is verified by two checks, and its records go with it; no other is', async () => {
  await using database = await testDatabase()
  const beyond = new ZoneResolver({ 'real.example.se': { txt: ['from the internet'] } })
  const zone = new ZoneResolver({}, { zones: reservedZones, resolver: beyond })
  const dns = tryoutDns(zone, database.db, 'mx.mailroom.test')
  await using world = await World.start({ database, resolver: dns })
  const domain = await Enrolled.enrol(await world.organization(), 'Shop.test')

  const seen: [number, number, string][] = []
  for (let check = 0; check < 3; check++) {
    const { dns: records, outstanding, status } = await domain.shown()
    seen.push([records.length, outstanding, status])
    world.clock.advance(70_000)
    await world.domainChecks.run()
  }
  assert.deepEqual(seen, [
    [4, 4, 'pending'],
    [6, 2, 'verified'],
    [6, 0, 'verified'],
  ])
  assert.deepEqual(await dns.mx('shop.test'), [{ exchange: 'mx.mailroom.test', priority: 10 }])
  assert.deepEqual(await dns.a('mx.mailroom.test'), ['127.0.0.1'])
  assert.deepEqual(await dns.txt('real.example.se'), ['from the internet'])

  const others = await Enrolled.enrol(domain.organization, 'example-inc.org')
  for (let check = 0; check < 3; check++) {
    world.clock.advance(70_000)
    await world.domainChecks.run()
  }
  assert.deepEqual(await dns.mx('shop.test'), [{ exchange: 'mx.mailroom.test', priority: 10 }])
  const { status, outstanding } = await others.shown()
  assert.deepEqual([status, outstanding], ['pending', 6], 'a domain of others is for others to publish')

  await domain.organization.request('DELETE', `/v1/domains/${domain.id}`)
  assert.deepEqual(await dns.mx('shop.test'), [])
})
