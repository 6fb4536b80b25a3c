import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SharedAllowance, SharedWindow } from '../rate/shared-window.ts'
import { authorizer, type Identify, type Identity } from './authorize.ts'
import { Caller, everyLevel } from './caller.ts'
import type { Scope } from './scopes.ts'

const identity: Identity = {
  ...{ caller: Caller.unrestricted('o'), quota: 600, suspended: false, member: undefined },
  actor: { kind: 'key', id: 'a', name: 'mrk_aaaa…aaaa' },
  scopes: new Set<Scope>(['labels:read']),
}

interface Asked {
  readonly identify?: Identify
  readonly inSession?: Identify
  readonly among?: () => SharedAllowance
}

const bearer: Record<string, string> = { authorization: 'Bearer x' }

/** What is asked before a request with that token is let in, at a time that passes by `advance` alone. */
function gate({ identify, inSession, among }: Asked = {}) {
  let now = 0
  const keys = { identify: identify ?? (async () => identity), isKey: () => true }
  const shared = among && ({ consume: async () => among() } as unknown as SharedWindow)
  const sessions = { identify: inSession ?? (async () => undefined), confirmedAt: async () => undefined }
  const policies: unknown[] = []
  const authorize = authorizer({ keys, sessions, publicUrl: undefined }, () => now, shared)
  return {
    policies,
    advance: (ms: number) => {
      now += ms
    },
    /** The headers of the answer, or the refusal with those. */
    ask: async (
      config: { scope?: Scope; allMailboxes?: true } = {},
      sent = bearer,
      clientAddress = '2001:db8:1:2::1',
    ) => {
      const headers: Record<string, unknown> = {}
      const headersDistinct = Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, [value]]))
      const request = {
        ...{ method: 'GET', clientAddress, headers: sent, raw: { headers: sent, headersDistinct } },
        routeOptions: { config: { scope: 'labels:read', ...config } },
      } as unknown as FastifyRequest
      const reply = { header: (name: string, value: unknown) => (headers[name] = value) } as unknown as FastifyReply
      const refusal = await authorize(request, reply).catch((error) => error)
      policies.push(headers['RateLimit-Policy'])
      return { code: refusal?.code, retryAfter: refusal?.retryAfter, left: headers.RateLimit }
    },
  }
}

const allowed = (left: string) => ({ code: undefined, retryAfter: undefined, left })
const limited = (seconds: number) => {
  return { code: 'rate_limited', retryAfter: seconds, left: `"key";r=0;t=${seconds}` }
}

test('a key has 600 requests in a minute, whatever they ask for, and then as many as are a minute old', async () => {
  const { ask, advance } = gate()
  assert.deepEqual(await ask(), allowed('"key";r=599;t=60'))
  advance(30_000)
  for (let n = 1; n < 599; n++) await ask()
  assert.equal((await ask({ scope: 'labels:write' })).code, 'forbidden')
  assert.deepEqual(await ask({ scope: 'labels:write' }), limited(30))
  advance(30_000)
  assert.deepEqual(await ask(), allowed('"key";r=0;t=30'))
  assert.deepEqual(await ask(), limited(30))
})

test('what all processes have left counts where it is less, and what they refuse is not counted here', async () => {
  const refused = { allowed: false, remaining: 0, waitMs: 1_500 }
  let answer: SharedAllowance = refused
  const { ask } = gate({ among: () => answer })
  for (let n = 0; n < 700; n++) assert.deepEqual(await ask(), limited(2))
  answer = { ...refused, waitMs: 0 }
  assert.deepEqual(await ask(), limited(1))
  answer = { allowed: true, remaining: 7, waitMs: 0 }
  assert.deepEqual(await ask(), allowed('"key";r=7;t=60'))
  answer = { allowed: true, remaining: 600, waitMs: 0 }
  assert.deepEqual(await ask(), allowed('"key";r=598;t=60'))
})

test('a network has 600 requests in a minute with keys that nobody has, and lookups of keys are limited', async () => {
  const guessed: boolean[] = []
  const { ask, advance } = gate({ identify: async (_token, client) => void guessed.push(client.guessing) })
  const from = (address: string) => ask({}, undefined, address)
  for (let n = 0; n < 600; n++) assert.equal((await from(`2001:db8:1:2::${n}`)).code, 'unauthorized')
  assert.deepEqual(new Set(guessed.splice(0)), new Set([false]))
  assert.deepEqual(await ask(), { code: 'rate_limited', retryAfter: 60, left: undefined })
  assert.equal((await from('2001:db8:1:3::1')).code, 'unauthorized')
  advance(60_000)
  assert.equal((await ask()).code, 'unauthorized')
  assert.deepEqual(guessed, [true, false, false])
})

test('a key with a quota of its own has that many requests in a minute', async () => {
  const { ask, advance, policies } = gate({ identify: async () => ({ ...identity, quota: 2 }) })
  assert.deepEqual(await ask(), allowed('"key";r=1;t=60'))
  assert.deepEqual(await ask(), allowed('"key";r=0;t=60'))
  assert.deepEqual(await ask(), limited(60))
  advance(60_000)
  assert.deepEqual(await ask(), allowed('"key";r=1;t=60'))
  assert.equal(policies[0], '"key";q=2;w=60')
})

test('a key that is restricted to mailboxes does nothing that is about all of them', async () => {
  const restricted = { ...identity, caller: new Caller('o', { mailboxes: everyLevel(['m']), recipients: null }) }
  assert.equal((await gate().ask({ allMailboxes: true })).code, undefined)
  const { ask } = gate({ identify: async () => restricted })
  assert.equal((await ask()).code, undefined)
  assert.equal((await ask({ allMailboxes: true })).code, 'forbidden')
})

test('what is counted is named: the requests of a key, or those of a member', async () => {
  const member = { sessionId: 's', role: 'member', permissions: new Set<never>() }
  const inSession = async () => ({ ...identity, member })
  const { ask, policies } = gate({ inSession })
  assert.deepEqual(await ask(), allowed('"key";r=599;t=60'))
  assert.deepEqual(await ask({}, { cookie: '__Host-mailroom_session=x' }), allowed('"member";r=598;t=60'))
  assert.deepEqual(policies, ['"key";q=600;w=60', '"member";q=600;w=60'])
})

test('without a key or a session nothing is looked up', async () => {
  const lookedUp: string[] = []
  const identify: Identify = async (token) => void lookedUp.push(token)
  const { ask } = gate({ identify, inSession: identify })
  for (const headers of [{}, { cookie: 'other=x' }, { authorization: 'Basic eDp5' }, { authorization: 'Bearer' }])
    assert.equal((await ask({}, headers)).code, 'unauthorized')
  assert.deepEqual(lookedUp, [])
})
