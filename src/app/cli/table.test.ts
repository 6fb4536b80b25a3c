import assert from 'node:assert/strict'
import { test } from 'node:test'
import { minute, table } from './table.ts'

test('columns are as wide as their widest cell, and no line ends in spaces', () => {
  const shown = 'NAME           PLAN\nAcme           self_hosted\nA longer name  free'
  const rows = Object.entries({ Acme: 'self_hosted', 'A longer name': 'free' })
  assert.equal(table(['NAME', 'PLAN'], rows, 'None.'), shown)
})

test('characters that take two columns of a terminal count as two, marks as none', () => {
  const shown = 'N     X\n李雷  1\né     2\n😀    3'
  assert.equal(table(['N', 'X'], Object.entries({ 李雷: '1', é: '2', '😀': '3' }), 'None.'), shown)
})

test('without rows there is a sentence', () => assert.equal(table(['N'], [], 'None yet.'), 'None yet.'))

test('a time is shown to the minute, in UTC', () => {
  assert.equal(minute(new Date('2026-11-21T07:44:59.999Z')), '2026-11-21 07:44')
  assert.equal(minute(null), '-')
})
