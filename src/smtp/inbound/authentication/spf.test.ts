import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LookUp } from '#/formats/mime/authentication/dkim.ts'
import { checkSpf } from './spf.ts'

const limits = { hostname: 'mx.here.example', timeout: 10_000 }
const origin = () => ({ address: '192.0.2.1', helo: 'peer.example' })

/** Names with a policy, and how often policies were asked for. */
function domains(policies: Readonly<Record<string, string>>) {
  let asked = 0
  const lookUp: LookUp = async (name) => {
    asked++
    const policy = policies[name]
    if (policy === 'away') throw { code: 'ESERVFAIL', message: 'away' }
    if (policy === undefined) throw { code: 'ENODATA', message: 'nothing' }
    return [[policy]] as unknown as string[]
  }
  return { lookUp, asked: () => asked }
}

const [mailfrom, helo] = [{ identity: 'mailfrom' }, { identity: 'helo' }] as const
for (const [what, sender, from, expected] of [
  ['the sender’s domain', 'ann@a.example', origin(), { ...mailfrom, result: 'pass', domain: 'a.example' }],
  ['the name in EHLO for the null sender', '', origin(), { ...helo, result: 'fail', domain: 'peer.example' }],
  ['none of an unknown client', 'ann@a.example', undefined, { ...mailfrom, result: 'temperror', domain: 'a.example' }],
  ['nobody of an unknown client’s null sender', '', undefined, { ...helo, result: 'temperror', domain: '' }],
] as const)
  test(`SPF asks ${what}`, async () => {
    const { lookUp } = domains({ 'a.example': 'v=spf1 ip4:192.0.2.1 -all', 'peer.example': 'v=spf1 -all' })
    assert.deepEqual(await checkSpf(lookUp, { origin: from, sender }, limits), expected)
  })

test('for a minute a client is not asked about again with the same sender, unless nobody answered', async (t) => {
  let now = 0
  t.mock.method(performance, 'now', () => now)
  const { lookUp, asked } = domains({ 'a.example': 'v=spf1 -all', 'away.example': 'away' })
  const client = origin()
  const asksAbout = async (sender: string, from = client) => {
    const before = asked()
    await checkSpf(lookUp, { origin: from, sender }, limits)
    return asked() > before
  }
  assert.deepEqual([await asksAbout('ann@a.example'), await asksAbout('ann@a.example')], [true, false])
  assert.deepEqual([await asksAbout('ben@a.example'), await asksAbout('ben@a.example')], [true, false])
  for (const other of [origin(), { ...client, address: '192.0.2.2' }])
    assert.equal(await asksAbout('ben@a.example', other), true)
  now = 59_999
  assert.equal(await asksAbout('ben@a.example'), false)
  now = 60_000
  assert.equal(await asksAbout('ben@a.example'), true)
  assert.deepEqual([await asksAbout('ann@away.example'), await asksAbout('ann@away.example')], [true, true])
})
