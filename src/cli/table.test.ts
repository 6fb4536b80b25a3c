import assert from 'node:assert/strict'
import { test } from 'node:test'
import { minute, table } from './table.ts'

test('columns are as wide as their widest cell, and no line ends in spaces', () =>
  assert.equal(
    table(
      ['NAME', 'PLAN'],
      [
        ['Acme', 'self_hosted'],
        ['A longer name', 'free'],
      ],
      'None.',
    ),
    `\
NAME           PLAN
Acme           self_hosted
A longer name  free`,
  ))

test('characters that take two columns of a terminal count as two, marks as none', () =>
  assert.equal(
    table(
      ['N', 'X'],
      [
        ['李雷', '1'],
        ['é', '2'],
        ['😀', '3'],
      ],
      'None.',
    ),
    `\
N     X
李雷  1
é     2
😀    3`,
  ))

test('without rows there is a sentence', () => assert.equal(table(['N'], [], 'None yet.'), 'None yet.'))

test('a time is shown to the minute, in UTC', () => {
  assert.equal(minute(new Date('2026-11-21T07:44:59.999Z')), '2026-11-21 07:44')
  assert.equal(minute(null), '-')
})
