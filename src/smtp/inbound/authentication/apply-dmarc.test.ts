import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Disposition, Judgement } from '#/formats/mime/authentication/verdict.ts'
import { messageDate } from '#/formats/mime/header/date.ts'
import { readMessage } from '#/formats/mime/read-message.ts'
import { Rejection } from '#/smtp/protocol/reply.ts'
import { applyDmarc } from './apply-dmarc.ts'

const now = new Date('2026-11-22T12:00:00Z')
const minutesAgo = (minutes: number) => `Received: by front.example; ${messageDate(new Date(+now - minutes * 60_000))}`

/** What becomes of a message: a reply, or the disposition that it is kept with. */
function fate(disposition: Disposition, protocol: 'ESMTP' | 'LMTP', field = ''): string {
  const client = { address: '192.0.2.1', helo: 'x.example', protocol, tls: undefined }
  const envelope = { id: '1', receivedAt: now, client, origin: client, sender: '', utf8: false, recipients: [] }
  const judgement: Judgement = {
    spf: { result: 'none', domain: '', identity: 'helo' },
    dkim: [],
    dmarc: { result: 'none', domain: '', policy: '', dkimAligned: false },
    disposition,
  }
  try {
    return applyDmarc(judgement, envelope, readMessage(Buffer.from(`${field}\r\nFrom: a@b.test\r\n\r\n`))).disposition
  } catch (error) {
    if (!(error instanceof Rejection)) throw error
    return `${error.reply.code} ${error.reply.status}`
  }
}

for (const [what, disposition, protocol, field, expected] of [
  ['is its own', 'none', 'ESMTP', '', 'none'],
  ['is to be quarantined', 'quarantine', 'ESMTP', '', 'quarantine'],
  ['is forged', 'reject', 'ESMTP', '', '550 5.7.26'],
  ['is forged, from a server that has said 250', 'reject', 'LMTP', '', 'reject'],
  ['cannot be judged', 'defer', 'ESMTP', '', '451 4.7.26'],
  ['cannot be judged, however old', 'defer', 'ESMTP', minutesAgo(600), '451 4.7.26'],
  ['cannot be judged, from a server that has just said 250', 'defer', 'LMTP', minutesAgo(1), '451 4.7.26'],
  ['cannot be judged, from one that has tried for an hour', 'defer', 'LMTP', minutesAgo(61), 'quarantine'],
  ['cannot be judged, from one whose clock is ahead', 'defer', 'LMTP', minutesAgo(-5), '451 4.7.26'],
  ['cannot be judged, from one with a comment', 'defer', 'LMTP', `${minutesAgo(1)} (a; b)`, '451 4.7.26'],
  ['cannot be judged, from one that says no date', 'defer', 'LMTP', 'Received: by front.example', 'quarantine'],
  ['cannot be judged, from one that says nothing', 'defer', 'LMTP', '', 'quarantine'],
] as const)
  test(`a message that ${what}: ${expected}`, () =>
    assert.equal(fate(disposition, protocol, field || 'X: y'), expected))
