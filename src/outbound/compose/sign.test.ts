import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import type { OpenKey } from '#/domains/dkim/signing-keys.ts'
import type { Outgoing } from '#/sending/outgoing.ts'
import { compose } from './compose.ts'
import { signatures } from './sign.ts'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ed25519 = generateKeyPairSync('ed25519')
const keys: OpenKey[] = [
  { domain: 'example.com', selector: 'r1', algorithm: 'rsa', privateKey: rsa.privateKey },
  { domain: 'example.com', selector: 'e1', algorithm: 'ed25519', privateKey: ed25519.privateKey },
]
const zone: Record<string, string> = {
  'r1._domainkey.example.com': `v=DKIM1; k=rsa; p=${rsa.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')}`,
  // The last 32 octets are the key itself (RFC 8463, section 4).
  'e1._domainkey.example.com': `v=DKIM1; k=ed25519; p=${ed25519.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')}`,
}

const at = new Date('2026-11-21T07:44:33Z')

function message(text: string, headers: Outgoing['headers'] = []): Promise<Buffer> {
  return compose(
    {
      from: { name: 'Zoë', address: 'zoe@example.com' },
      to: [{ name: '', address: 'bob@example.com' }],
      cc: [],
      bcc: [],
      replyTo: [],
      subject: 'Hëllo',
      text,
      html: null,
      inReplyTo: [],
      references: [],
      attachments: [],
      headers,
    },
    { messageId: '<1@example.com>', date: at },
  )
}

async function verdicts(raw: Buffer): Promise<string[]> {
  const resolver = async (name: string) => [[zone[name] ?? '']]
  const { results } = await dkimVerify(raw, { resolver, curTime: at })
  return results.map(({ selector, status }) => `${selector} ${status.result}`).sort()
}

test('both keys of the domain sign, and each signature holds', async () => {
  for (const text of ['Hello', '', '\n\n', `${'long '.repeat(50_000)}\n . \n`]) {
    const raw = await message(text)
    const signed = Buffer.concat([Buffer.from(await signatures(raw, keys, at)), raw])
    assert.deepEqual(await verdicts(signed), ['e1 pass', 'r1 pass'])
  }
})

test('they hold where a program has sent words in front of the empty line', async () => {
  const raw = Buffer.from('From: zoe@example.com\r\nSubject: x\r\nX-Tag: y\r\nHello,\r\n\r\nmore\r\n')
  assert.deepEqual(await verdicts(Buffer.concat([Buffer.from(await signatures(raw, keys, at)), raw])), [
    'e1 pass',
    'r1 pass',
  ])
})

test('fields of the sender are signed, and a list may add its own', async () => {
  const headers = [
    { name: 'List-Unsubscribe', value: '<https://example.com/u>' },
    { name: 'X-Tag', value: 'a' },
    { name: 'X-Tag', value: 'b' },
  ]
  const raw = await message('Hello', headers)
  const [own, programs] = [await signatures(raw, keys, at, 'composed'), await signatures(raw, keys, at)]
  assert.match(own, /list-unsubscribe/i)
  for (const [what, change, holds] of [
    ['as it is', (text: string) => text, true],
    ['another unsubscribing', (text: string) => text.replace('example.com/u', 'eve.example/u'), false],
    ['another tag', (text: string) => text.replace('X-Tag: b', 'X-Tag: c'), false],
    ['a list of its own', (text: string) => `Precedence: list\r\nX-Other: x\r\n${text}`, true],
  ] as const) {
    const changed = Buffer.from(own + change(raw.toString('latin1')), 'latin1')
    assert.deepEqual((await verdicts(changed)).includes('r1 pass'), holds, what)
  }
  const stripped = programs + raw.toString('latin1').replaceAll(/X-Tag: .\r\n/g, '')
  assert.ok((await verdicts(Buffer.from(stripped, 'latin1'))).includes('r1 pass'), 'of a mail program')
})

test('a signature is base64 as any verifier reads it', async () => {
  const fields = await signatures(await message('Hello'), keys, at)
  const values = Array.from(fields.matchAll(/b=((?:[^;]|\r\n )*?)\r\n(?=DKIM|$)/g), ([, value = '']) =>
    value.replace(/\r\n +/g, ''),
  )
  assert.deepEqual(
    values.map((value) => Buffer.from(value, 'base64').toString('base64') === value && value.length),
    [344, 88],
  )
})

for (const [what, from, to] of [
  ['the subject', 'Subject: ', 'Subject: Not '],
  ['the author', 'zoe@example.com', 'joe@example.com'],
  ['the text', 'Hello Bob', 'Hello Cy!'],
  ['who gets it', 'bob@example.com', 'eve@example.com'],
] as const)
  test(`they hold no more once ${what} is changed`, async () => {
    const raw = await message('Hello Bob')
    const signed = (await signatures(raw, keys, at)) + raw.toString('latin1').replace(from, to)
    assert.deepEqual(
      (await verdicts(Buffer.from(signed, 'latin1'))).filter((verdict) => verdict.endsWith('pass')),
      [],
    )
  })

for (const name of [
  ...['From', 'To', 'Cc', 'Subject', 'Date', 'Message-ID', 'Reply-To', 'In-Reply-To', 'References'],
  ...['MIME-Version', 'Content-Type', 'Content-Transfer-Encoding', 'Auto-Submitted'],
])
  test(`they are invalid once somebody has added ${name}, in front or behind`, async () => {
    const raw = await message('Hello Bob')
    const signed = Buffer.concat([Buffer.from(await signatures(raw, keys, at)), raw]).toString('latin1')
    const added = `${name}: somebody@else.example\r\n`
    for (const changed of [added + signed, signed.replace('\r\n\r\n', `\r\n${added}\r\n`)])
      assert.deepEqual(
        (await verdicts(Buffer.from(changed, 'latin1'))).filter((verdict) => verdict.endsWith('pass')),
        [],
      )
  })

test('they hold where others have added what every server on the way adds', async () => {
  const raw = await message('Hello Bob')
  const trace = 'Received: from x by y; Sat, 21 Nov 2026 08:00:00 +0000\r\nDelivered-To: bob@example.com\r\n'
  const signed = Buffer.concat([Buffer.from(trace + (await signatures(raw, keys, at))), raw])
  assert.deepEqual(await verdicts(signed), ['e1 pass', 'r1 pass'])
})

test('without keys there is nothing to put before the message', async () =>
  assert.equal(await signatures(await message('Hello'), [], at), ''))

test('a key that cannot sign is an error, never a message without its signature', async () => {
  const broken = { domain: 'example.com', selector: 'x', algorithm: 'rsa', privateKey: ed25519.privateKey } as const
  await assert.rejects(signatures(await message('Hello'), [...keys, broken], at), /DKIM signing failed/)
})
