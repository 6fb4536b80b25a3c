import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Row, table } from './report.ts'

test('a table says what was missed', () => {
  const rows: Row[] = [
    { what: 'quick', value: 0.8, unit: '×', least: 0.7, from: '8 against 10' },
    { what: 'slow', value: 51, unit: 'ms', most: 50 },
  ]
  assert.deepEqual(table('x', rows).split('\n').slice(1, 3), [
    '  quick   0.80 ×  at least 0.7 ×         8 against 10',
    '  slow   51.0 ms  at most 50 ms, missed',
  ])
})
