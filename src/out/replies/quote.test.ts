import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quote } from './quote.ts'

const message = {
  ...{ messageId: null, references: [], inReplyTo: [], replyTo: [], cc: [] },
  from: [{ name: 'Ann', address: 'ann@a.example' }],
  to: [{ name: '', address: 'ada@x.example' }],
  subject: 'Plan',
  date: '2026-11-21T11:00:00.000Z',
  text: 'Dear Ada\n\n> you wrote\nYours\n\n',
}

test('an answer quotes each line, with who wrote it and when', () =>
  assert.equal(
    quote(message, 'reply'),
    '\n\nOn Sat, 21 Nov 2026 11:00 UTC, Ann <ann@a.example> wrote:\n> Dear Ada\n>\n>> you wrote\n> Yours\n',
  ))

test('what has neither date nor author is quoted too', () =>
  assert.equal(quote({ ...message, from: [], date: null, text: 'x' }, 'reply'), '\n\nsomebody wrote:\n> x\n'))

test('a forwarded message says whose it was', () =>
  assert.equal(
    quote(message, 'forward'),
    '\n\n---------- Forwarded message ----------\nFrom: Ann <ann@a.example>\nDate: Sat, 21 Nov 2026 11:00 UTC\n' +
      'Subject: Plan\nTo: ada@x.example\n\nDear Ada\n\n> you wrote\nYours\n',
  ))
