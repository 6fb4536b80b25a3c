import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { readMessage } from '../message.ts'
import { readReport } from './delivery-report.ts'

const corpus = new URL('../../../test/corpus/dsn/', import.meta.url)
const raw = (name: string) => readFileSync(new URL(`${name}.eml`, corpus))
const read = (bytes: Buffer) => readReport(readMessage(bytes))

/** What each sample of test/corpus/dsn is read as: whom it names, the action and the status; of a complaint its type, the envelope
 *  senders and the recipients. */
const samples = [
  ['postfix-failed', 'bob@there.example failed 5.1.1'],
  ['postfix-delayed', 'bob@there.example delayed 4.4.1'],
  ['postfix-expired', 'bob@there.example failed 4.4.1'],
  ['postfix-two-recipients', 'bob@there.example failed 5.1.1, cy@there.example failed 5.2.2'],
  ['postfix-smtputf8', 'zoë@there.example failed 5.6.7'],
  ['postfix-forwarded-alias', 'robert@inside.example bob@there.example failed 5.1.1'],
  ['postfix-delivered', 'bob@there.example other 2.1.5'],
  ['exim-4-bounce', 'bob@there.example failed 5.1.1'],
  ['exim-3-plain', 'bob@there.example failed 5.1.1'],
  ['exim-3-two', 'bob@there.example failed 5.1.1, cy@there.example failed -'],
  ['exim-delay-warning', 'bob@there.example delayed -'],
  ['exim-german', 'bob@there.example failed -'],
  ['sendmail-8', 'bob@there.example failed 5.1.1'],
  ['sendmail-warning', 'bob@there.example delayed 4.2.0'],
  ['sendmail-5-plain', 'bob@there.example failed 5.0.0'],
  ['sendmail-local-alias', '"|/usr/bin/vacation bob"@mx.there.example bob@there.example failed 5.3.0'],
  ['exchange-online', 'bob@there.example failed 5.1.10'],
  ['exchange-online-full', 'bob@there.example failed 5.2.2'],
  ['exchange-2016-delay', 'bob@there.example delayed 4.4.7'],
  ['exchange-2003', 'bob@there.example failed 5.1.1'],
  ['exchange-5.5-text', 'bob@there.example failed -'],
  ['microsoft-smtpsvc', 'bob@there.example failed 5.1.1'],
  ['hotmail', 'bob@hotmail.example failed 5.5.0'],
  ['gmail', 'bob@there.example failed 5.1.1'],
  ['gmail-delay', 'bob@there.example delayed 4.4.1'],
  ['gmail-2010-text', 'bob@there.example failed 5.1.1'],
  ['qmail', 'bob@there.example failed 5.1.1'],
  ['qmail-no-mailbox', 'bob@there.example failed 5.1.1'],
  ['qmail-two', 'bob@there.example failed 5.1.1, cy@there.example failed 5.2.2'],
  ['yahoo-old', 'bob@there.example failed 5.1.1'],
  ['yahoo', 'bob@yahoo.example failed 5.0.0'],
  ['amazon-ses', 'bob@there.example failed 5.1.1'],
  ['amazon-ses-inbound', 'bob@there.example failed 5.1.1'],
  ['haraka', 'bob@there.example failed 5.1.1'],
  ['haraka-text', 'bob@there.example failed 5.1.1'],
  ['opensmtpd', 'bob@there.example failed 5.1.1'],
  ['opensmtpd-temporary', 'bob@there.example delayed 4.0.0'],
  ['courier', 'bob@there.example failed 5.0.0'],
  ['zimbra', 'bob@there.example failed 5.1.1'],
  ['lotus-domino', 'bob@there.example failed 5.1.1'],
  ['lotus-notes-name', 'cn=bob/o=there@there.example failed 5.0.0'],
  ['groupwise', 'bob@there.example failed 5.1.1'],
  ['ironport', 'bob@there.example failed 5.1.0'],
  ['ironport-mime', 'bob@there.example failed 5.1.0'],
  ['proofpoint', 'bob@there.example failed 5.7.1'],
  ['mimecast', 'bob@there.example failed 5.1.1'],
  ['mailenable', 'bob@there.example failed 5.1.1'],
  ['mdaemon', 'bob@there.example failed 5.1.1'],
  ['aol-old', 'bob@aol.example failed -'],
  ['apache-james', 'bob@there.example failed 5.1.1'],
  ['stalwart', 'bob@there.example failed 5.1.1'],
  ['mailroom', 'bob@there.example failed 5.1.1'],
  ['status-in-base64', 'bob@there.example failed 5.1.1'],
  ['status-with-stray-lines', 'bob@there.example failed 5.1.1'],
  ['status-xtext', 'bob+2bnews@there.example bob+news@there.example failed 5.1.1'],
  ['status-lf-only', 'bob@there.example failed 5.1.1'],
  ['wrapped-by-a-scanner', 'bob@there.example failed 5.1.1'],
  ['no-action', 'bob@there.example failed 5.1.1'],
  ['opensmtpd-mixed', 'bob@there.example failed 5.0.0'],
  ['opensmtpd-mixed-expired', 'bob@there.example failed 4.4.7'],
  ['opensmtpd-mixed-delayed', 'bob@there.example delayed 4.0.0'],
  ['dragonfly-dma', 'bob@there.example failed 5.1.1'],
  ['dragonfly-dma-expired', 'bob@there.example failed -'],
  ['amazon-workmail', 'bob@there.example failed 5.1.1'],
  ['action-expired', 'bob@there.example failed -'],
  ['gmail-delay-text', 'bob@there.example delayed 4.2.2'],
  ['sendmail-transcript-alone', 'bob@there.example failed 5.0.0, cy@there.example failed 5.0.0'],
  ['exim-pipe', 'bob@there.example failed 5.0.0'],
  ['exim-alias', 'robert@elsewhere.example bob@there.example failed 5.2.0'],
  ['exim-rewritten', 'robert@inside.example bob@there.example failed 5.1.1'],
  ['named-as-the-sender', 'bob@there.example ada@here.example failed 5.2.0'],
  ['status-names-nobody', 'bob@there.example failed -'],
  ['to-oneself', 'ada@here.example failed 5.2.2'],
  ['sender-in-the-words', 'bob@there.example failed -'],
  ['notice-in-a-notice', 'bob@there.example failed 5.1.1'],
  ['in-japanese', 'bob@there.example failed -'],
  ['arf-minimal', 'feedback abuse ada+rgtr4s2mwq5k7bq3dkx2xw4n6v@here.example -'],
  ['arf-full', 'feedback abuse ada+rgtr4s2mwq5k7bq3dkx2xw4n6v@here.example bob@isp.example'],
  ['arf-yahoo', 'feedback abuse ada+rgtr4s2mwq5k7bq3dkx2xw4n6v@here.example redacted@yahoo.example'],
  ['arf-headers-only', 'feedback abuse ada+rgtr4s2mwq5k7bq3dkx2xw4n6v@here.example -'],
  ['arf-not-spam', 'feedback not-spam ada+rgtr4s2mwq5k7bq3dkx2xw4n6v@here.example -'],
  ['arf-auth-failure', 'feedback auth-failure - -'],
  ['vacation', 'none'],
  ['read-receipt', 'none'],
  ['forwarded-bounce', 'none'],
  ['postmaster-writes', 'none'],
  ['challenge', 'none'],
  ['dmarc-aggregate', 'none'],
] as const

function described(bytes: Buffer): string {
  const report = read(bytes)
  if (report === undefined) return 'none'
  const some = (names: readonly string[]) => names.join(' ') || '-'
  if (report.kind === 'feedback') return `feedback ${report.type} ${some(report.senders)} ${some(report.names)}`
  return report.recipients.map(({ names, action, status }) => `${some(names)} ${action} ${status ?? '-'}`).join(', ')
}

for (const [name, expected] of samples)
  test(`a report: ${name.replaceAll('-', ' ')}`, () => assert.equal(described(raw(name)), expected))

test('every sample has a row', () => {
  const files = readdirSync(corpus).map((name) => name.replace(/\.eml$/, ''))
  assert.deepEqual(files.toSorted(), samples.map(([name]) => name).toSorted())
})

test('what the server said is read in one line, with its name', () => {
  const report = read(raw('postfix-failed'))
  assert.ok(report?.kind === 'delivery')
  assert.deepEqual(
    report.recipients.map(({ diagnostic, server }) => [diagnostic, server]),
    [
      [
        '550 5.1.1 <bob@there.example>: Recipient address rejected: User unknown in virtual mailbox table',
        'mx.there.example',
      ],
    ],
  )
  const gmail = read(raw('gmail'))
  assert.ok(gmail?.kind === 'delivery')
  assert.equal(gmail.recipients[0]?.server, 'mx.there.example.')
  const qmail = read(raw('qmail'))
  assert.ok(qmail?.kind === 'delivery')
  assert.match(qmail.recipients[0]?.diagnostic ?? '', /550 5\.1\.1 User unknown/)
})

test('whatever is done to a report on its way, it is read without failing', () => {
  const seeds = samples.map(([name]) => raw(name))
  const bits = fc.constantFrom(
    '\r\n',
    '\r\n\r\n',
    '\0',
    ';',
    '<',
    '>',
    '@',
    '--',
    'Final-Recipient: ',
    '\\x{110000}',
    '=3D',
  )
  fc.assert(
    fc.property(
      fc.constantFrom(...seeds),
      fc.array(fc.tuple(fc.nat(6_000), fc.nat(80), bits), { maxLength: 6 }),
      (seed, cuts) => {
        const bytes = cuts.reduce(
          (all, [at, length, bit]) => Buffer.concat([all.subarray(0, at), Buffer.from(bit), all.subarray(at + length)]),
          seed,
        )
        assert.ok(['none', 'delivery', 'feedback'].includes(read(bytes)?.kind ?? 'none'))
      },
    ),
  )
})
