import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, sign as signed } from 'node:crypto'
import { test } from 'node:test'
import { dkimSign } from 'mailauth/lib/dkim/sign.js'
import { readHeaders } from '../header/headers.ts'
import { keyNames, unverified, verifySignatures } from './dkim.ts'

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const key = `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`
const lookUp = async (name: string) => (name === 's1._domainkey.bank.example' ? [key] : [])
const text = 'From: ceo@bank.example\r\nSubject: Hi\r\nTo: ada@example.com\r\n\r\nHello\r\n'

interface Signing {
  readonly headerList?: string[]
  readonly maxBodyLength?: number
}

async function sign(message: string, { headerList, ...more }: Signing = {}): Promise<string> {
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const by = { signingDomain: 'bank.example', selector: 's1', privateKey: pem }
  const signatureData = [{ ...by, ...more }]
  const { signatures, errors } = await dkimSign(message, { ...by, signatureData, ...(headerList && { headerList }) })
  assert.deepEqual(errors, [])
  return signatures + message
}

async function verdictOn(message: string): Promise<string> {
  const [found] = await verifySignatures(Buffer.from(message), lookUp)
  return `${found?.result} ${found?.comment}`.trim()
}

/** The message signed, with a field in front of it. */
async function behind(field: string, headerList?: string[]): Promise<string> {
  return `${field}\r\n${await sign(text, headerList ? { headerList } : {})}`
}

const open = 'policy part of the body is not signed'
for (const [what, message, expected] of [
  ['holds', sign(text), 'pass'],
  ['covers all of the body by its length', sign(text, { maxBodyLength: 7 }), 'pass'],
  ['leaves some of the body open', sign(text, { maxBodyLength: 7 }).then((one) => `${one}More\r\n`), open],
  ['leaves all of the body open', sign(text, { maxBodyLength: 0 }), open],
  ['is behind a second Subject', behind('Subject: Pay'), 'policy subject is there twice'],
  ['is behind a second From, in small letters', behind('from : x@x.test'), 'policy from is there twice'],
  ['is behind a second field that it does not sign', behind('To: x@x.test', ['From']), 'policy to is there twice'],
  ['signs a field once more than it is there', behind('Received: by x', ['From', 'Subject']), 'pass'],
  ['signs both', sign(`To: b@example.com\r\n${text}`), 'pass'],
  ['was made of another Subject', sign(text).then((one) => one.replace('Hi', 'Ho')), 'fail bad signature'],
] as const)
  test(`a signature that ${what}: ${expected}`, async () => assert.equal(await verdictOn(await message), expected))

test('rsa-sha1 proves nothing (RFC 8301)', async () => {
  const bodyHash = createHash('sha1').update('Hello\r\n').digest('base64')
  const tags = `DKIM-Signature: v=1; a=rsa-sha1; c=simple/simple; d=bank.example; s=s1; h=From; bh=${bodyHash}; b=`
  const made = signed('sha1', Buffer.from(`From: ceo@bank.example\r\n${tags}`), privateKey).toString('base64')
  assert.equal(await verdictOn(`${tags}${made}\r\n${text}`), 'policy weak algorithm')
})

test('keys are looked for where signatures name them', () => {
  const named = (field: string) => keyNames(readHeaders(Buffer.from(`DKIM-Signature: ${field}\r\n\r\n`)).headers)
  assert.deepEqual(named('v=1; s=a; d=Bank.Example; b=x='), ['a._domainkey.bank.example'])
  assert.deepEqual(named('v=1; S =\r\n a.b; d = b\u00fccher.example'), ['a.b._domainkey.xn--bcher-kva.example'])
  assert.deepEqual(named('v=1; s=a'), [])
})

test('signatures that ask for many hashes of the body are left unread', () => {
  const asking = (tags: string[]) => {
    const raw = Buffer.from(`${tags.map((one) => `DKIM-Signature: v=1; ${one}\r\n`).join('')}\r\nHello\r\n`)
    return unverified(raw, readHeaders(raw).headers)?.[0]?.comment
  }
  assert.equal(asking(['l=1', 'l=2', 'a=x; l=1', 'A=X; l=1']), undefined)
  assert.equal(asking(['l=1', 'l=2', 'l=3', 'l=4']), 'too many hashes')
})
