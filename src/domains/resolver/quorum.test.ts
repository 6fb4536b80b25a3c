import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ZoneRecords } from '#/base/network/resolver.ts'
import { QuorumResolver } from './quorum.ts'
import { ZoneResolver } from './zone.ts'

describe('a quorum', () => {
  const says = (records: ZoneRecords) => new ZoneResolver({ 'example.test': records })
  const truth = { txt: ['one', 'two'], mx: [{ exchange: 'MX.example.test', priority: 10 }] }
  const same = { txt: ['two', 'one'], mx: [{ exchange: 'mx.example.test', priority: 10 }] }
  const forged = { txt: ['forged'], mx: [{ exchange: 'mx.forged.test', priority: 0 }] }
  const broken = { fails: 'servfail' } as const
  const silent = { fails: 'timeout' } as const
  const hears = async (...all: ZoneRecords[]) => {
    const quorum = new QuorumResolver(all.map(says))
    const answers = { txt: await quorum.txt('example.test'), mx: await quorum.mx('example.test') }
    return answers.txt.includes('forged') ? forged : answers.txt.includes('one') ? truth : answers
  }
  for (const [what, all, expected] of [
    ['what all three say', [truth, same, truth], truth],
    ['two against one that forges', [truth, forged, same], truth],
    ['two against one that forges and comes first', [forged, truth, same], truth],
    ['two against one that knows nothing', [{}, truth, same], truth],
    ['two that know nothing against one that forges', [{}, forged, {}], { txt: [], mx: [] }],
    ['two where the third fails', [broken, truth, same], truth],
    ['two where the third is silent', [truth, same, silent], truth],
    ['both of two', [truth, same], truth],
    ['one of two where the other is silent', [silent, truth], truth],
    ['one alone', [truth], truth],
  ] as const)
    test(`answers ${what}`, async () => assert.deepEqual(await hears(...all), expected))
  for (const [what, all, expected] of [
    ['two of three say so', [truth, {}, truth], true],
    ['one of three says so', [{}, forged, {}], false],
  ] as const)
    test(`says that a name ${expected ? 'exists' : 'does not exist'} where ${what}`, async () => {
      const zones = all.map((records) => new ZoneResolver('txt' in records ? { 'example.test': records } : {}))
      assert.equal(await new QuorumResolver(zones).exists('example.test'), expected)
    })
  for (const [what, all, reason] of [
    ['three that contradict each other', [truth, forged, {}], 'servfail'],
    ['two that contradict each other', [truth, forged], 'servfail'],
    ['one of three where the others fail', [forged, broken, broken], 'servfail'],
    ['one of three where the others are silent', [forged, silent, silent], 'timeout'],
    ['two that contradict each other where the third is silent', [truth, forged, silent], 'servfail'],
    ['nobody', [silent, silent], 'timeout'],
  ] as const)
    test(`fails on ${what}`, () => assert.rejects(hears(...all), { name: 'LookupFailed', reason }))
})
