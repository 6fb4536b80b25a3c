import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { arc } from 'mailauth/lib/arc/index.js'
import { dkimSign } from 'mailauth/lib/dkim/sign.js'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { readMessage } from '#/formats/mime/read-message.ts'
import { forwardsTo, mailboxThat } from '#test/world/mail/forwarding.ts'
import { signingDomain } from '#test/world/organization/signing-domain.ts'
import { sendingWorld } from '#test/world/sending-world.ts'

// On one database: it looks at messages as they leave.

const pair = generateKeyPairSync('rsa', { modulusLength: 2048 })
const publicKey = pair.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')

const { world, organization, sentMail } = await sendingWorld()
await signingDomain(world, organization)
const ada = (await mailboxThat(organization, forwardsTo('ada@away.example'))).address
for (const domain of ['strict.example', 'signed.example']) {
  world.dns.set(`_dmarc.${domain}`, { txt: ['v=DMARC1; p=reject'] })
  world.dns.set(domain, { txt: ['v=spf1 ip4:127.0.0.1 -all'] })
}
world.dns.set('s1._domainkey.signed.example', { txt: [`v=DKIM1; k=rsa; p=${publicKey}`] })

/** What arrives at the destination of a message that the mailbox forwards. */
async function forwarded(from: string, to: string, raw: string): Promise<Buffer> {
  await world.send({ envelope: { from, to }, raw })
  const taken = await sentMail()
  assert.equal(taken.length, 1)
  return taken[0]?.bytes ?? Buffer.alloc(0)
}

const lookUp = (name: string, type: string) => (type === 'TXT' ? world.dns.txt(name) : Promise.resolve([]))

/** What the next server finds: signatures by their domain, and the chain. */
async function checked(raw: Buffer) {
  const { results, arc: chain } = await dkimVerify(raw, { resolver: lookUp })
  const { status, i } = await arc(chain as Parameters<typeof arc>[0], { resolver: lookUp })
  return {
    signatures: results.map(({ signingDomain, status }) => `${signingDomain} ${status.result}`),
    arc: `${status.result} ${i}`,
  }
}

const letter = (from: string, to: string) =>
  `From: Zoë Müller <${from}>\r\nTo: ${to}\r\nSubject: Hello\r\nMessage-ID: <${Math.random()}@x>\r\n\r\nHello\r\n.dot \r\n`

async function signed(text: string): Promise<string> {
  const privateKey = String(pair.privateKey.export({ format: 'pem', type: 'pkcs8' }))
  const key = { signingDomain: 'signed.example', selector: 's1', privateKey }
  const { signatures } = await dkimSign(text, { ...key, signatureData: [key] })
  return signatures + text
}

test('where an aligned signature holds, it holds at the destination, and From stays', async () => {
  const raw = await signed(letter('zoe@signed.example', ada))
  const out = await forwarded('zoe@signed.example', ada, raw)
  assert.ok(out.toString().endsWith(raw))
  assert.deepEqual(await checked(out), { signatures: ['signed.example pass'], arc: 'pass 1' })
  assert.match(
    out.toString(),
    /^ARC-Seal: .*cv=none.*^ARC-Authentication-Results: i=1; mx\.mailroom\.test;.*dkim=pass/ms,
  )
})

test('where only SPF spoke for the author and the domain is strict, From is the mailbox, signed', async () => {
  const out = await forwarded('zoe@strict.example', ada, letter('zoe@strict.example', ada))
  const { from, replyTo, subject } = readMessage(out)
  assert.deepEqual(from, { name: `Zoë Müller via ${ada}`, address: ada })
  assert.deepEqual([replyTo, subject], [[{ name: '', address: 'zoe@strict.example' }], 'Hello'])
  const { domain } = organization
  assert.deepEqual(await checked(out), { signatures: [`${domain} pass`, `${domain} pass`], arc: 'pass 1' })
})
