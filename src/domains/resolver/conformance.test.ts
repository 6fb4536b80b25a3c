import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Resolver, ZoneRecords } from '#/base/network/resolver.ts'
import { startDnsServer } from '#test/world/dns/dns-server.ts'
import { each } from '#test/world/each.ts'
import { DnsResolver } from './dns.ts'
import { QuorumResolver, quorumOf } from './quorum.ts'
import { ZoneResolver } from './zone.ts'

const zone: Record<string, ZoneRecords> = {
  'example.test': {
    txt: ['v=spf1 -all', 'x'.repeat(600)],
    mx: [
      { exchange: 'second.example.test', priority: 20 },
      { exchange: 'first.example.test', priority: 10 },
    ],
    a: ['192.0.2.1', '192.0.2.2'],
    aaaa: ['2001:db8::1'],
  },
  'written.test': { txt: ['„ü“', ''] },
  'null-mx.test': { mx: [{ exchange: '', priority: 0 }] },
  'empty.test': {},
  'alias.test': { cname: 'second-alias.test' },
  'second-alias.test': { cname: 'example.test' },
  'alias-of-nothing.test': { cname: 'nothing.test' },
  'below.above.test': { txt: ['here'] },
  'loop.test': { cname: 'loop.test' },
  ...Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`link-${n}.test`, { cname: `link-${n + 1}.test` }])),
  'link-20.test': { txt: ['the end'], a: ['192.0.2.20'] },
  'large.test': { txt: Array.from({ length: 30 }, (_, n) => `${n} ${'y'.repeat(1_500)}`) },
  'too-large.test': { txt: ['z'.repeat(2 ** 20)] },
  'broken.test': { fails: 'servfail' },
  'silent.test': { fails: 'timeout' },
  '192.0.2.1': { ptr: ['example.test'] },
  '2001:db8::1': { ptr: ['example.test'] },
}

/** What a busy machine answers within, in milliseconds. */
const patience = 30_000
/** How long a server is waited for that says nothing. */
const impatience = 2_000

/** Opens a resolver that waits so long for an answer. */
type Open = (patience: number) => Promise<{ resolver: Resolver; close: () => Promise<void> }>

/** What every resolver answers, given this zone. */
function conforms(name: string, open: Open): void {
  describe(name, () => {
    let resolver: Resolver
    let close: () => Promise<void>
    before(async () => {
      ;({ resolver, close } = await open(patience))
    })
    after(() => close())

    test('joins the strings of a TXT record', async () =>
      assert.deepEqual((await resolver.txt('example.test')).sort(), ['v=spf1 -all', 'x'.repeat(600)]))
    test('gives text in any script, and an empty one', async () =>
      assert.deepEqual((await resolver.txt('written.test')).sort(), ['', '„ü“']))
    test('gives MX records with the lowest preference first', async () => {
      const [second, first] = zone['example.test']?.mx ?? []
      assert.deepEqual(await resolver.mx('example.test'), [first, second])
    })
    test('gives a null MX as one record with an empty exchange', async () =>
      assert.deepEqual(await resolver.mx('null-mx.test'), [{ exchange: '', priority: 0 }]))
    test('gives addresses', async () => {
      assert.deepEqual((await resolver.a('example.test')).sort(), ['192.0.2.1', '192.0.2.2'])
      assert.deepEqual(await resolver.aaaa('example.test'), ['2001:db8::1'])
    })
    test('ignores case and a final dot', async () =>
      assert.deepEqual(await resolver.aaaa('Example.TEST.'), ['2001:db8::1']))
    test('follows aliases, and answers the CNAME itself', async () => {
      assert.deepEqual(await resolver.aaaa('alias.test'), ['2001:db8::1'])
      assert.deepEqual(await resolver.cname('alias.test'), ['second-alias.test'])
      assert.deepEqual(await resolver.cname('example.test'), [])
    })
    test('gives an answer too large for a datagram', async () => {
      const texts = await resolver.txt('large.test')
      assert.deepEqual(texts.sort(), [...(zone['large.test']?.txt ?? [])].sort())
    })
    test('fails on an answer too large for a DNS message', () =>
      assert.rejects(resolver.txt('too-large.test'), { name: 'LookupFailed', reason: 'servfail' }))
    test('follows a few aliases in a row, and fails on many', async () => {
      assert.deepEqual(await resolver.txt('link-10.test'), ['the end'])
      await assert.rejects(resolver.txt('link-0.test'), { name: 'LookupFailed', reason: 'servfail' })
      assert.deepEqual(await resolver.cname('link-0.test'), ['link-1.test'])
    })
    test('gives the names of an address', async () => {
      assert.deepEqual(await resolver.ptr('192.0.2.1'), ['example.test'])
      assert.deepEqual(await resolver.ptr('2001:db8::1'), ['example.test'])
      assert.deepEqual(await resolver.ptr('192.0.2.9'), [])
    })
    for (const [what, asked, expected] of [
      ['a name with records of another type', 'written.test', true],
      ['a name above others', 'above.test', true],
      ['an alias of a name that exists', 'alias.test', true],
      ['a name that does not', 'nowhere.test', false],
      ['an alias of a name that does not', 'alias-of-nothing.test', false],
      ['what cannot be a name', `${'x'.repeat(64)}.test`, false],
    ] as const)
      test(`says that ${what} ${expected ? 'exists' : 'does not exist'}`, async () =>
        assert.equal(await resolver.exists(asked), expected))
    for (const [what, asked] of [
      ['a name that does not exist', 'nowhere.test'],
      ['a name without such records', 'empty.test'],
      ['what cannot be a name', `${'x'.repeat(64)}.test`],
    ] as const)
      test(`answers nothing for ${what}`, async () => {
        for (const type of ['txt', 'mx', 'a', 'aaaa', 'cname'] as const)
          assert.deepEqual(await resolver[type](asked), [])
      })
    for (const [what, asked, reason] of [
      ['SERVFAIL', 'broken.test', 'servfail'],
      ['no answer', 'silent.test', 'timeout'],
      ['aliases in a circle', 'loop.test', 'servfail'],
    ] as const)
      test(`fails on ${what}`, async (t) => {
        const asks = reason === 'timeout' ? await open(impatience) : { resolver, close: async () => {} }
        t.after(() => asks.close())
        const failed = { name: 'LookupFailed', reason }
        const types = ['txt', 'mx', 'a', 'aaaa'] as const
        await Promise.all(types.map((type) => assert.rejects(asks.resolver[type](asked), failed, type)))
      })
  })
}

conforms('the zone resolver', async () => ({ resolver: new ZoneResolver(zone), close: async () => {} }))

conforms('the DNS resolver', async (patience) => {
  const server = await startDnsServer(zone)
  const resolver = new DnsResolver({ servers: [server.address], patience })
  return { resolver, close: async () => await server[Symbol.asyncDispose]() }
})

conforms('the zone resolver, for names outside its zones', async () => {
  const beyond = { zones: ['tryout.test'], resolver: new ZoneResolver(zone) }
  return { resolver: new ZoneResolver({}, beyond), close: async () => {} }
})

conforms('the DNS resolver that asks three servers apart', async (patience) => {
  const servers = await Promise.all([startDnsServer(zone), startDnsServer(zone), startDnsServer(zone)])
  const resolver = quorumOf(each(servers, 'address'), patience)
  assert.ok(resolver instanceof QuorumResolver)
  const close = async () => {
    for (const server of servers) await server[Symbol.asyncDispose]()
  }
  return { resolver, close }
})

test('answers are not cached', async () => {
  const changing: Record<string, ZoneRecords> = { 'example.test': { txt: ['before'] } }
  await using server = await startDnsServer(changing)
  const resolver = new DnsResolver({ servers: [server.address] })
  assert.deepEqual(await resolver.txt('example.test'), ['before'])
  changing['example.test'] = { txt: ['after'] }
  assert.deepEqual(await resolver.txt('example.test'), ['after'])
  delete changing['example.test']
  assert.deepEqual(await resolver.txt('example.test'), [])
})

test('while no server answers, the DNS resolver shortens its timeout, until the next answer', async (t) => {
  await using server = await startDnsServer(zone)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const resolver = new DnsResolver({ servers: [server.address], patience: impatience })
  const endsEarly = async () => {
    const ended = assert.rejects(resolver.a('silent.test')).then(() => true)
    t.mock.timers.tick(impatience / 5)
    const isEarly = await Promise.race([ended, new Promise((resolve) => setImmediate(resolve, false))])
    t.mock.timers.tick(impatience)
    await ended
    return isEarly
  }
  const early = async (times: number) => {
    const all = []
    for (let n = 0; n < times; n++) all.push(await endsEarly())
    return all
  }
  assert.deepEqual(await early(5), [false, false, false, true, true])
  assert.deepEqual(await resolver.aaaa('example.test'), ['2001:db8::1'])
  assert.deepEqual(await early(4), [false, false, false, true])
})

test('the zone resolver asks no other resolver for names of its own zones', async () => {
  const resolver = new ZoneResolver({ 'gone.tryout.test': { a: ['192.0.2.8'] } })
  const own = new ZoneResolver({ 'tryout.test': { a: ['192.0.2.7'] } }, { zones: ['tryout.test'], resolver })
  assert.deepEqual(await own.a('tryout.test'), ['192.0.2.7'])
  assert.deepEqual(await own.a('gone.tryout.test'), [])
})

test('the records of a zone may change', async () => {
  const resolver = new ZoneResolver()
  resolver.set('New.test', { txt: ['here'] })
  assert.deepEqual(await resolver.txt('new.test'), ['here'])
  resolver.set('new.test', undefined)
  assert.deepEqual(await resolver.txt('new.test'), [])
})
