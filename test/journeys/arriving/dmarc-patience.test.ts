import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, beforeEach, test } from 'node:test'
import { dkimSign } from 'mailauth/lib/dkim/sign.js'
import { DnsResolver } from '#/adapters/resolver/dns.ts'
import type { Resolver, ZoneRecords } from '#/ports/resolver.ts'
import { type DnsServer, startDnsServer } from '#test/dns/dns-server.ts'
import { hand, letter, subjectsIn } from '#test/mail/letter.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World } from '#test/world/world.ts'

// On one database: a message is judged before it is stored.

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const key = `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`

/** The name server says nothing of the keys of slow.example. */
const zone: Record<string, ZoneRecords> = {
  '_dmarc.bank.example': { txt: ['v=DMARC1; p=reject'] },
  's1._domainkey.bank.example': { txt: [key] },
  ...Object.fromEntries(
    Array.from({ length: 7 }, (_, n) => [`never${n}._domainkey.slow.example`, { fails: 'timeout' }]),
  ),
}

let dns: DnsServer
let world: World
let organization: TestOrganization
let address: string
/** New for each test, since a resolver without answers for a while shortens its time-outs. */
let resolver: DnsResolver
beforeEach(() => {
  resolver = new DnsResolver({ servers: [dns.address], patience: 6_000 })
})
const asks: Resolver = {
  txt: (name) => resolver.txt(name),
  mx: (name) => resolver.mx(name),
  a: (name) => resolver.a(name),
  aaaa: (name) => resolver.aaaa(name),
  cname: (name) => resolver.cname(name),
  ptr: (name) => resolver.ptr(name),
  exists: (name) => resolver.exists(name),
}

before(async () => {
  dns = await startDnsServer(zone)
  world = await World.start({ resolver: asks })
  organization = await world.organization()
  ;({ address } = await organization.mailbox('ada'))
})
after(async () => {
  await world[Symbol.asyncDispose]()
  await dns[Symbol.asyncDispose]()
})

async function signaturesOf(text: string, signingDomain: string, selector: string): Promise<string> {
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const by = { signingDomain, selector, privateKey: pem }
  return (await dkimSign(text, { ...by, signatureData: [by] })).signatures
}

/** With seven signatures in front that cannot be looked up, and one of the author's domain over that subject. */
async function signed(subject: string): Promise<string> {
  const text = `${letter({ From: 'ceo@bank.example', Subject: 'Wire the money' })}\r\n`
  const never = Array.from({ length: 7 }, (_, n) => signaturesOf(text, 'slow.example', `never${n}`))
  const own = await signaturesOf(text.replace('Wire the money', subject), 'bank.example', 's1')
  return `${(await Promise.all(never)).join('')}${own}${text}`
}

test('keys that never come do not hide that the one which matters does not fit', async () => {
  assert.equal(await hand(world, 'x@peer.example', address, await signed('Lunch')), '550 5.7.26')
  assert.deepEqual(await subjectsIn(organization, address), [])
})

test('nor that it fits', async () => {
  assert.equal(await hand(world, 'x@peer.example', address, await signed('Wire the money')), '250 2.6.0')
  assert.deepEqual(await subjectsIn(organization, address), ['Wire the money'])
})

test('where it is the one that never comes, the sender comes again', async () => {
  zone['s1._domainkey.bank.example'] = { fails: 'timeout' }
  assert.equal(await hand(world, 'x@peer.example', address, await signed('Wire the money')), '451 4.7.26')
  assert.deepEqual(await subjectsIn(organization, address), ['Wire the money'])
})
