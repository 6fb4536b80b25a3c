import assert from 'node:assert/strict'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { quorumOf } from '#/adapters/resolver/quorum.ts'
import { hand } from '#test/mail/letter.ts'
import { onceTold, telling } from '#test/observe/writes.ts'
import { Knot } from '#test/peers/knot.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { mailroom, startService } from '#test/world/service.ts'
import { World } from '#test/world/world.ts'

const host = 'mx.example.net'
const domain = 'example.com'
const hour = 3_600_000
const day = 24 * hour

interface Shown {
  readonly id: string
  readonly status: string
  readonly outstanding: number
  readonly ownership_token: string | null
  readonly next_check_at: string | null
  readonly dns: readonly { satisfied: boolean; problem: string | null }[]
}

describe('a domain whose records are in a real name server', () => {
  let knot: Knot
  let world: World
  let organization: TestOrganization
  before(async () => {
    // Whom mail comes from is known there too: what the DNS says of its author is needed.
    knot = await Knot.start(domain, 'example.net', 'example')
    await knot.publish('example.net', 'mx A 192.0.2.25')
    for (const zone of [domain, 'example']) await knot.publish(zone, '')
    const resolver = quorumOf([knot.address], 5_000)
    world = await World.start({ resolver, env: { MAILROOM_HOSTNAME: host } })
    organization = await world.organization()
  })
  after(async () => {
    await world[Symbol.asyncDispose]()
    await knot[Symbol.asyncDispose]()
  })

  const shown = async (id: string) => (await organization.request('GET', `/v1/domains/${id}`)).body as Shown
  const zone = async (id: string) => (await organization.request('GET', `/v1/domains/${id}/zone`)).bytes.toString()
  /** Lets time pass up to the next check, and has it. */
  const nextCheck = async (id: string) => {
    const { next_check_at: next } = await shown(id)
    assert.ok(next)
    world.clock.advance(Math.max(0, new Date(next).getTime() - world.clock.now()))
    await world.domainChecks.run()
    return await shown(id)
  }

  test('is enrolled, verified, receives mail, and lapses when the records are removed', async () => {
    const { id } = await organization.bodyOf(201, 'POST', '/v1/domains', { domain })

    const empty = await nextCheck(id)
    assert.deepEqual([empty.dns.length, empty.outstanding], [6, 6])
    assert.ok(empty.dns.slice(0, 4).every(({ problem }) => problem === 'missing'))
    await knot.publish(domain, await zone(id))
    const done = await nextCheck(id)
    assert.deepEqual([done.status, done.outstanding, done.ownership_token], ['verified', 0, null])
    assert.ok(done.dns.every(({ satisfied, problem }) => satisfied && problem === null))

    const box = await organization.request('POST', '/v1/mailboxes', { domain, local_part: 'ann' })
    assert.equal(box.status, 201)
    assert.equal(await hand(world, 'bob@peer.example', `postmaster@${domain}`), '250 2.6.0')

    await knot.silence()
    const silent = await nextCheck(id)
    await knot.speak(domain)
    assert.deepEqual([silent.status, silent.outstanding], ['verified', 0])
    assert.ok(silent.dns.every(({ problem }) => problem === 'lookup_failed'))
    await knot.fail(domain)
    const failing = await nextCheck(id)
    assert.deepEqual([failing.status, failing.outstanding], ['verified', 0])

    await knot.publish(domain, '')
    const gone = await nextCheck(id)
    const since = world.clock.now()
    assert.deepEqual([gone.status, gone.outstanding], ['verified', 6])
    assert.equal(await hand(world, 'bob@peer.example', `ann@${domain}`), '250 2.6.0')
    let last = gone
    for (let checks = 0; last.status === 'verified' && checks < 20; checks++) last = await nextCheck(id)
    assert.equal(last.status, 'pending')
    assert.ok(world.clock.now() - since >= 3 * day && world.clock.now() - since < 4 * day)
    assert.equal(await hand(world, 'bob@peer.example', `ann@${domain}`), '550 5.7.1')

    assert.ok(last.ownership_token)
    await knot.publish(domain, await zone(id))
    assert.equal((await nextCheck(id)).status, 'verified')
  })
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
  const { id } = (await (await fetch(`${service.http}/v1/domains`, post)).json()) as Shown
  const ask = async (path = '') => await fetch(`${service.http}/v1/domains/${id}${path}`, { headers })
  await knot.publish(domain, await (await ask('/zone')).text())
  await onceTold([service], async () => ((await (await ask()).json()) as Shown).status === 'verified')
  assert.equal((await service.end('SIGTERM')).code, 0)
})
