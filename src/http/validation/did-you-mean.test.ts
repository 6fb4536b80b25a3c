import assert from 'node:assert/strict'
import { test } from 'node:test'
import { didYouMean } from './did-you-mean.ts'

const words = ['name', 'colour', 'to', 'cc', 'bcc', 'reply_to', 'in_reply_to', 'subject', 'content_type']

for (const [given, meant] of Object.entries({
  ...{ color: 'colour', Name: 'name', nmae: 'name', replyTo: 'reply_to', 'reply-to': 'reply_to', To: 'to' },
  ...{ inReplyTo: 'in_reply_to', contentType: 'content_type', subjct: 'subject', sbjct: 'subject', sbjt: undefined },
  ...{ x: undefined, it: undefined, organization_id: undefined, '': undefined, ['name'.repeat(100_000)]: undefined },
}))
  test(`"${given.slice(0, 20)}" means ${meant}`, () => assert.equal(didYouMean(given, words), meant))
