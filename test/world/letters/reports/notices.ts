import { fieldsOf, multipart, notice, original, type Part, returned, sender, status } from './written.ts'

const header: Part = ['text/rfc822-headers', original.replace(/Hello Bob\n$/, '')]
const list = 'could not be delivered to the following list of recipients:\n\nbob@there.example:'
const opensmtpd = (outcome: string, words: string, fields: Parameters<typeof status>[0]) =>
  multipart('mixed', [['text/plain', words], ['message/delivery-status', status(fields)], header], {
    Subject: `Delivery status notification: ${outcome}`,
  })
const complaint = (fields: Parameters<typeof fieldsOf>[0], about = returned) =>
  multipart(
    'report; report-type=feedback-report',
    [
      ['text/plain', 'This is an email abuse report.'],
      ['message/feedback-report', fieldsOf({ 'Feedback-Type': 'abuse', 'User-Agent': 'X/1', Version: '1', ...fields })],
      about,
    ],
    { From: 'FBL <feedback@isp.example>', To: 'fbl@here.example', Subject: 'FW: The plan' },
  )
const inner = (...more: readonly Part[]) =>
  multipart(
    'report; report-type=delivery-status',
    [['text/plain', 'Sorry.'], ['message/delivery-status', status()], ...more],
    {},
    'i',
  )
const innerPart = (text: string): Part => {
  const at = text.indexOf('\n\n')
  return [/^Content-Type: ([^\n]*\n\t[^\n]*)/m.exec(text)?.[1] ?? '', text.slice(at + 2)]
}
const bob = 'bob@there.example'
const permanent = `A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:
`

/** Notices and complaints that programs can read, and messages that hold one. */
export const notices = (
  [
    [
      'a diagnosis in two lines',
      `${bob} failed 5.1.1`,
      notice(
        status({
          'Original-Recipient': 'rfc822;bob@there.example',
          'Remote-MTA': 'dns; mx.there.example',
          'Diagnostic-Code':
            'smtp; 550 5.1.1 <bob@there.example>: Recipient address\n    rejected: User unknown in virtual mailbox table',
        }),
      ),
    ],
    [
      'a server with words behind it',
      `${bob} failed 5.1.1`,
      notice(
        status({
          'Remote-MTA': 'dns; mx.there.example. (198.51.100.9, the server for the domain there.example.)',
          'Diagnostic-Code':
            'smtp; 550-5.1.1 The account does not exist. Please try\n 550-5.1.1 double-checking it or\n 550 5.1.1 its spaces.',
        }),
        { fields: { 'X-Failed-Recipients': bob, 'Auto-Submitted': 'auto-replied' } },
      ),
    ],
    [
      'a delay',
      `${bob} delayed 4.4.1`,
      notice(
        status({
          Action: 'delayed',
          Status: '4.4.1',
          'Diagnostic-Code': 'X-Postfix; connect to mx.there.example[198.51.100.9]:25:\n    Connection timed out',
        }),
      ),
    ],
    [
      'a delay that may end',
      `${bob} delayed 4.4.7`,
      notice(status({ Action: 'delayed', Status: '4.4.7' }), {
        fields: { Subject: 'Delivery delayed:The plan' },
        words: ['text/plain', 'Delivery to these recipients or groups is delayed.'],
        back: header,
      }),
    ],
    [
      'a delay after an error',
      `${bob} delayed 4.0.0`,
      notice(status({ Action: 'delayed', Status: '4.0.0' }), {
        fields: { Subject: 'Delivery status notification: warning' },
        words: ['text/plain', `A message is delayed: it ${list} 550 5.1.1 User unknown`],
      }),
    ],
    ['a failure of a temporary kind', `${bob} failed 4.4.1`, notice(status({ Status: '4.4.1' }))],
    [
      'two recipients',
      `${bob} failed 5.1.1, cy@there.example failed 5.2.2`,
      notice(
        `${status()}\n${fieldsOf({ 'Final-Recipient': 'rfc822; cy@there.example', Action: 'failed', Status: '5.2.2' })}`,
      ),
    ],
    [
      'an address in UTF-8',
      'zoë@there.example failed 5.6.7',
      notice(status({ 'Final-Recipient': 'utf-8; zoë@there.example', Status: '5.6.7' }), {
        type: 'message/global-delivery-status\nContent-Transfer-Encoding: 8bit',
        back: ['message/global', original],
      }),
    ],
    [
      'an alias',
      `robert@inside.example ${bob} failed 5.1.1`,
      notice(
        status({
          'Final-Recipient': 'rfc822; robert@inside.example',
          'Original-Recipient': 'rfc822;bob@there.example',
        }),
      ),
    ],
    ['one that was delivered', `${bob} other 2.1.5`, notice(status({ Action: 'relayed', Status: '2.1.5' }))],
    [
      'an action in front, and a status that the server says better',
      `${bob} failed 5.1.1`,
      notice(
        `Reporting-MTA: dns; mx.there.example\n\nAction: failed\nFinal-Recipient: rfc822;bob@there.example\nStatus: 5.0.0\nDiagnostic-Code: smtp; 550 5.1.1 User unknown\n`,
        { fields: { References: '<plan-1@here.example>' } },
      ),
    ],
    [
      'types in capitals',
      `${bob} failed 5.7.1`,
      notice(
        status({
          'Final-Recipient': 'RFC822; bob@there.example',
          Status: '5.7.1',
          'Diagnostic-Code': 'SMTP; 550 5.7.1 Message blocked by policy',
        }),
      ),
    ],
    [
      'a command for a mailbox',
      `"|/usr/bin/vacation bob"@mx.there.example ${bob} failed 5.3.0`,
      notice(
        status({
          'Original-Recipient': 'rfc822;bob@there.example',
          'Final-Recipient': 'RFC822; "|/usr/bin/vacation bob"@mx.there.example',
          'X-Actual-Recipient': 'X-Unix; |/usr/bin/vacation bob',
          Status: '5.3.0',
          'Diagnostic-Code': 'X-Unix; 255',
        }),
      ),
    ],
    [
      'a status with a number of two digits, words in HTML',
      `${bob} failed 5.1.10`,
      notice(status({ Status: '5.1.10' }), {
        words: ['text/html', '<p>Your message to bob@there.example couldn&#39;t be delivered.'],
      }),
    ],
    [
      'a diagnosis without a code',
      `${bob} failed 5.5.0`,
      notice(
        status({
          Status: '5.5.0',
          'Diagnostic-Code': 'smtp;550 Requested action not taken: mailbox unavailable (-1946154460)',
        }),
      ),
    ],
    [
      'a status that says little, and a diagnosis as little',
      `${bob} failed 5.0.0`,
      notice(status({ Status: '5.0.0', 'Diagnostic-Code': 'smtp; 554 delivery error: dd This user has no account' })),
    ],
    [
      'a name of Lotus Notes',
      'cn=bob/o=there@there.example failed 5.0.0',
      notice(
        status({
          'Final-Recipient': 'rfc822;CN=Bob/O=There@there.example',
          Status: '5.0.0',
          'Diagnostic-Code': 'X-Notes; Error transferring to mail.box',
        }),
      ),
    ],
    [
      'a status with words behind it',
      `${bob} failed 5.1.0`,
      notice(
        status({
          Status: '5.0.0 (permanent failure)',
          'Remote-MTA': 'dns; [198.51.100.9]',
          'Diagnostic-Code': "smtp; 5.1.0 - Unknown address error 550-'5.1.1 User unknown' (delivery attempts: 0)",
        }),
      ),
    ],
    [
      'words in base64, only the header back',
      `${bob} failed 5.1.1`,
      notice(status(), {
        words: [
          'text/plain; charset=utf-8\nContent-Transfer-Encoding: base64',
          'WW91ciBtZXNzYWdlIGNvdWxkIG5vdCBiZSBkZWxpdmVyZWQu',
        ],
        back: header,
      }),
    ],
    [
      'a status in base64',
      `${bob} failed 5.1.1`,
      notice(Buffer.from(status()).toString('base64').replaceAll(/.{70}/g, '$&\n'), {
        type: 'message/delivery-status\nContent-Transfer-Encoding: base64',
      }),
    ],
    [
      'empty lines among the fields',
      `${bob} failed 5.1.1`,
      notice(status({ 'Diagnostic-Code': 'smtp; 550 5.1.1 Nobody' }).replaceAll('\n', '\n\n')),
    ],
    [
      'xtext',
      'bob+2bnews@there.example bob+news@there.example failed 5.1.1',
      notice(status({ 'Original-Recipient': 'rfc822;bob+2Bnews@there.example', 'Final-Recipient': 'rfc822;robert' })),
    ],
    ['lines that end in LF alone', `${bob} failed 5.1.1`, notice(status())],
    ['no action', `${bob} failed 5.1.1`, notice(status({ Action: undefined }))],
    [
      'an action of an own kind, and no status',
      `${bob} failed -`,
      notice(status({ Action: 'expired', Status: '', 'Diagnostic-Code': 'Connection timed out' })),
    ],
    [
      'a status that names nobody',
      `${bob} failed -`,
      notice(`Reporting-MTA: dns; mx.relay.example\nX-Postfix-Sender: rfc822; ${sender}\n`, {
        fields: { 'Return-Path': '<>' },
        words: [
          'text/plain',
          'Your message could not be delivered to one or more recipients.\nFor assistance, please write to <help@relay.example>.',
        ],
      }),
    ],
    [
      'a command of Exim’s',
      `${bob} failed 5.0.0`,
      notice(status({ 'Final-Recipient': 'rfc822;|/usr/lib/ticket bob@there.example', Status: '5.0.0' }), {
        fields: { 'X-Failed-Recipients': bob },
        words: [
          'text/plain',
          `${permanent}\n  pipe to |/usr/lib/ticket bob@there.example\n    generated by bob@there.example`,
        ],
        back: header,
      }),
    ],
    [
      'mixed: a failure',
      `${bob} failed 5.0.0`,
      opensmtpd('failed', `Hi!\n\nA message ${list} 550 5.1.1 User unknown`, { Status: '5.0.0' }),
    ],
    [
      'mixed: the time is over',
      `${bob} failed 4.4.7`,
      opensmtpd('failed', `Hi!\n\nAn error has occurred: it ${list} Envelope expired`, {
        Action: 'delayed',
        Status: '4.4.7',
      }),
    ],
    [
      'mixed: a delay',
      `${bob} delayed 4.0.0`,
      opensmtpd(
        'delayed',
        'Hi!\n\nA message is delayed for more than 4 hours for the following\nlist of recipients:\n\nbob@there.example: 451 4.3.0 Try later\n\nPlease note that this is only a temporary failure report.',
        { Action: 'delayed', Status: '4.0.0' },
      ),
    ],
    [
      'a status within the words',
      `${bob} failed 5.1.1`,
      multipart('mixed', [
        [
          'text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable',
          'An error occurred while trying to deliver the mail to the following recip=\nients:\nbob@there.example\n\nTechnical report:\n\nReporting-MTA: dns; mail.relay.example\n\nAction: failed\nFinal-Reci=\npient: rfc822; bob@there.example\nDiagnostic-Code: smtp; 550 5.1.1=20\n <bob@there.example>... User Unknown\nStatus: 5.1.1',
        ],
        returned,
      ]),
    ],
    [
      'a notice that a scanner wrapped',
      `${bob} failed 5.1.1`,
      multipart('mixed', [['text/plain', 'This message came from outside.'], innerPart(inner())]),
    ],
    [
      'a notice in a notice',
      `${bob} failed 5.1.1`,
      multipart('mixed', [
        ['text/plain', '----- The following addresses had permanent delivery errors -----'],
        ['message/rfc822', inner()],
      ]),
    ],
    [
      'a complaint',
      `feedback abuse ${sender} bob@isp.example`,
      complaint({
        'Original-Mail-From': `<${sender}>`,
        'Original-Rcpt-To': '<bob@isp.example>',
        'Removal-Recipient': 'bob@isp.example',
      }),
    ],
    [
      'a complaint with the header alone, and addresses in capitals',
      `feedback abuse ${sender} redacted@yahoo.example`,
      complaint({ 'Original-Mail-From': sender.toUpperCase(), 'Removal-Recipient': 'redacted@Yahoo.example' }, header),
    ],
    [
      'a complaint that only the return path tells the sender of',
      `feedback abuse ${sender} -`,
      complaint({}, ['message/rfc822', `Return-Path: <${sender}>\n${original}`]),
    ],
    [
      'that mail is no spam',
      `feedback not-spam ${sender} -`,
      complaint({ 'Feedback-Type': 'not-spam', 'Original-Mail-From': `<${sender}>` }),
    ],
    [
      'that a check failed',
      'feedback auth-failure - -',
      complaint({ 'Feedback-Type': 'auth-failure', 'Auth-Failure': 'dkim' }),
    ],
    [
      'a receipt of reading',
      'none',
      multipart(
        'report; report-type=disposition-notification',
        [
          ['text/plain', 'Your message was read.'],
          [
            'message/disposition-notification',
            'Final-Recipient: rfc822;bob@there.example\nDisposition: manual-action/MDN-sent-manually; displayed\n',
          ],
          returned,
        ],
        { From: 'Bob <bob@there.example>', Subject: 'Read: The plan' },
      ),
    ],
    [
      'a notice that somebody forwards',
      'none',
      multipart(
        'mixed',
        [
          ['text/plain', 'Look what I got.'],
          ['message/rfc822', inner(returned)],
        ],
        { From: 'Bob <bob@there.example>', Subject: 'Fwd: Undeliverable' },
      ),
    ],
  ] as const
).map(([name, says, raw]) => ({ name, says, raw }))
