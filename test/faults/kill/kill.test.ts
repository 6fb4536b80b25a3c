// On both databases: a process is killed in a transaction.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crashRun } from '../letters/crash-run.ts'

const kills = 2

test('killed again and again while mail streams in, it keeps all that it acknowledged, and that once', async () => {
  const report = await crashRun((done) => done < kills, { senders: 20 })
  assert.equal(report.kills, kills)
  assert.ok(report.mail.acknowledged > 0 && report.labels.acknowledged > 0, JSON.stringify(report))
  for (const { lost, unexpected } of [report.mail, report.labels])
    assert.deepEqual({ lost, unexpected }, { lost: [], unexpected: [] })
  assert.deepEqual(report.knownDuplicated, [])
  assert.deepEqual(report.labels.duplicated, [])
  assert.deepEqual(report.refused, {})
  assert.deepEqual(report.discrepancies, [])
  assert.deepEqual(report.complaints, [])
})
