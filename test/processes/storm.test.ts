// On a server: several processes run on it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertKept } from './accounts.ts'
import { storm } from './storm.ts'

// The embedded database has one process. For longer: npm run faults -- roles SECONDS
if (process.env.TEST_DATABASE_URL !== undefined)
  test('processes of every role are killed again and again while mail streams in and out: what is acknowledged is kept', async () => {
    const report = await storm((kills) => kills < 6, { senders: 10 })
    assert.equal(report.kills, 6)
    assertKept(report)
    assert.deepEqual([report.refused, report.complaints], [{}, []])
  })
