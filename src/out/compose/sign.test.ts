import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { test } from 'node:test'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import type { OpenKey } from '#/domains/dkim/signing-keys.ts'
import type { Outgoing } from '#/out/sending/outgoing.ts'
import { outgoing } from '#test/world/letters/outgoing.ts'
import { compose } from './compose.ts'
import { signatures } from './sign.ts'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ed25519 = generateKeyPairSync('ed25519')
const keys: OpenKey[] = [
  { domain: 'example.com', selector: 'r1', algorithm: 'rsa', privateKey: rsa.privateKey },
  { domain: 'example.com', selector: 'e1', algorithm: 'ed25519', privateKey: ed25519.privateKey },
]
const published = ({ publicKey }: { publicKey: KeyObject }) => publicKey.export({ format: 'der', type: 'spki' })
const zone: Record<string, string> = {
  'r1._domainkey.example.com': `v=DKIM1; k=rsa; p=${published(rsa).toString('base64')}`,
  // The last 32 octets are the key itself (RFC 8463, section 4).
  'e1._domainkey.example.com': `v=DKIM1; k=ed25519; p=${published(ed25519).subarray(-32).toString('base64')}`,
}

const at = new Date('2026-11-21T07:44:33Z')

function message(text: string, headers: Outgoing['headers'] = []): Promise<Buffer> {
  const said = { from: { name: 'Zoë', address: 'zoe@example.com' }, subject: 'Hëllo', text, headers }
  return compose({ ...outgoing, ...said }, { messageId: '<1@example.com>', date: at })
}

async function verdicts(raw: Buffer | string): Promise<string[]> {
  const resolver = async (name: string) => [[zone[name] ?? '']]
  const { results } = await dkimVerify(Buffer.from(raw as string, 'latin1'), { resolver, curTime: at })
  return results.map(({ selector, status }) => `${selector} ${status.result}`).sort()
}

async function signed(raw: Buffer, change = (text: string) => text): Promise<string> {
  return (await signatures(raw, keys, at)) + change(raw.toString('latin1'))
}

const both = ['e1 pass', 'r1 pass']

test('both keys of the domain sign, and each signature holds', async () => {
  for (const text of ['Hello', '', '\n\n', `${'long '.repeat(50_000)}\n . \n`])
    assert.deepEqual(await verdicts(await signed(await message(text))), both)
})

test('they hold where a program has sent words in front of the empty line', async () => {
  const raw = Buffer.from('From: zoe@example.com\r\nSubject: x\r\nX-Tag: y\r\nHello,\r\n\r\nmore\r\n')
  assert.deepEqual(await verdicts(await signed(raw)), both)
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
    const changed = own + change(raw.toString('latin1'))
    assert.deepEqual((await verdicts(changed)).includes('r1 pass'), holds, what)
  }
  const stripped = programs + raw.toString('latin1').replaceAll(/X-Tag: .\r\n/g, '')
  assert.ok((await verdicts(stripped)).includes('r1 pass'), 'of a mail program')
})

test('a signature is base64 as any verifier reads it', async () => {
  const fields = await signatures(await message('Hello'), keys, at)
  const values = Array.from(fields.matchAll(/b=((?:[^;]|\r\n )*?)\r\n(?=DKIM|$)/g), ([, value = '']) => {
    const one = value.replace(/\r\n +/g, '')
    return Buffer.from(one, 'base64').toString('base64') === one && one.length
  })
  assert.deepEqual(values, [344, 88])
})

for (const [what, from, to] of [
  ['the subject', 'Subject: ', 'Subject: Not '],
  ['the author', 'zoe@example.com', 'joe@example.com'],
  ['the text', 'Hello Bob', 'Hello Cy!'],
  ['who gets it', 'bob@example.com', 'eve@example.com'],
] as const)
  test(`they hold no more once ${what} is changed`, async () => {
    const changed = await signed(await message('Hello Bob'), (text) => text.replace(from, to))
    assert.doesNotMatch((await verdicts(changed)).join(), /pass/)
  })

for (const name of [
  ...['From', 'To', 'Cc', 'Subject', 'Date', 'Message-ID', 'Reply-To', 'In-Reply-To', 'References'],
  ...['MIME-Version', 'Content-Type', 'Content-Transfer-Encoding', 'Auto-Submitted'],
])
  test(`they are invalid once somebody has added ${name}, in front or behind`, async () => {
    const whole = await signed(await message('Hello Bob'))
    const added = `${name}: somebody@else.example\r\n`
    for (const changed of [added + whole, whole.replace('\r\n\r\n', `\r\n${added}\r\n`)])
      assert.doesNotMatch((await verdicts(changed)).join(), /pass/)
  })

test('they hold where others have added what every server on the way adds', async () => {
  const trace = 'Received: from x by y; Sat, 21 Nov 2026 08:00:00 +0000\r\nDelivered-To: bob@example.com\r\n'
  assert.deepEqual(await verdicts(trace + (await signed(await message('Hello Bob')))), both)
})

test('without keys there is nothing to put before the message', async () =>
  assert.equal(await signatures(await message('Hello'), [], at), ''))

test('a key that cannot sign is an error, never a message without its signature', async () => {
  const broken = { domain: 'example.com', selector: 'x', algorithm: 'rsa', privateKey: ed25519.privateKey } as const
  await assert.rejects(signatures(await message('Hello'), [...keys, broken], at), /DKIM signing failed/)
})
