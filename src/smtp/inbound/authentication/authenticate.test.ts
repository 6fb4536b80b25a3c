import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { dkimSign } from 'mailauth/lib/dkim/sign.js'
import { LookupFailed } from '#/base/errors.ts'
import type { ZoneRecords } from '#/base/network/resolver.ts'
import { ZoneResolver } from '#/domains/resolver/zone.ts'
import { readAuthors } from '#/formats/mime/address/authors.ts'
import { readMessage } from '#/formats/mime/read-message.ts'
import { MessageReader } from '#/formats/mime/reader.ts'
import { each } from '#test/world/each.ts'
import { authenticate } from './authenticate.ts'

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
const publicDer = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
const dkimKey = `v=DKIM1; k=rsa; p=${publicDer}`

const zone: Record<string, ZoneRecords> = {
  'strict.example': { txt: ['v=spf1 ip4:192.0.2.1 -all'] },
  '_dmarc.strict.example': { txt: ['v=DMARC1; p=reject'] },
  's1._domainkey.strict.example': { txt: [dkimKey] },
  'careful.example': { txt: ['v=spf1 ip4:192.0.2.1 ~all'] },
  '_dmarc.careful.example': { txt: ['v=DMARC1; p=quarantine; adkim=s; aspf=s'] },
  's1._domainkey.mail.careful.example': { txt: [dkimKey] },
  'mail.careful.example': { txt: ['v=spf1 ip4:192.0.2.1 -all'] },
  'watching.example': { txt: ['v=spf1 -all'] },
  '_dmarc.watching.example': { txt: ['v=DMARC1; p=none'] },
  'other.example': { txt: ['v=spf1 +all'] },
  's1._domainkey.other.example': { txt: [dkimKey] },
  'loose.example': { txt: ['v=spf1 ip4:192.0.2.1/032 -all'] },
  '_dmarc.unused.example': { txt: ['v=DMARC1; p=none; np=reject'] },
  'used.unused.example': { mx: [{ exchange: 'peer.example', priority: 1 }] },
  'mx.above.unused.example': { a: ['192.0.2.7'] },
  'broken.example': { fails: 'servfail' },
  's1._domainkey.broken.example': { fails: 'timeout' },
  '_dmarc.broken.example': { fails: 'servfail' },
  'half.example': { fails: 'timeout' },
  '_dmarc.half.example': { txt: ['v=DMARC1; p=reject'] },
  's1._domainkey.half.example': { fails: 'servfail' },
  'lame.example': { txt: ['v=spf1 ip4:192.0.2.1 -all'] },
  '_dmarc.lame.example': { fails: 'servfail' },
  '_dmarc.eu.far.example': { txt: ['v=DMARC1; p=reject'] },
  '_dmarc.far.example': { fails: 'servfail' },
  'calm.example': { fails: 'timeout' },
  '_dmarc.calm.example': { txt: ['v=DMARC1; p=none'] },
  'peer.example': { a: ['192.0.2.1'], txt: ['v=spf1 a -all'] },
  'ptr.example': { txt: ['v=spf1 ptr -all'] },
  'host.ptr.example': { a: ['192.0.2.1'] },
  '192.0.2.1': { ptr: ['host.ptr.example'] },
  'mx.example': { txt: ['v=spf1 mx -all'], mx: [{ exchange: 'peer.example', priority: 1 }] },
}

interface Sent {
  sender?: string
  author?: string
  /** The address the message comes from. */
  address?: string
  signedBy?: string
  /** Changed after it was signed. */
  tampered?: boolean
  /** A text of the signature, and what takes its place. */
  replace?: readonly [string, string]
  headers?: string
  /** The whole From, in place of `author`. */
  from?: string
  /** False where another server has the message and does not say from whom. */
  originKnown?: boolean
}

async function verdictOn(
  { sender = '', author = 'ann@peer.example', address = '192.0.2.1', ...sent }: Sent,
  { origin = { address, helo: 'peer.example' }, resolver = new ZoneResolver(zone) } = {},
) {
  const text = `${sent.headers ?? ''}From: ${sent.from ?? `Ann <${author}>`}\r\nSubject: Hi\r\n\r\nHello\r\n`
  const signed = (sent.signedBy ? await sign(text, sent.signedBy) : text).replace(...(sent.replace ?? ['', '']))
  const message = readMessage(Buffer.from(sent.tampered ? signed.replace('Hello', 'Hullo') : signed))
  const authors = readAuthors(message.headers)
  const parts = { resolver, reader: new MessageReader(), hostname: 'mx.mailroom.test' }
  return authenticate(parts, { origin: sent.originKnown === false ? undefined : origin, sender }, message, authors)
}

async function sign(text: string, signingDomain: string): Promise<string> {
  const key = { signingDomain, selector: 's1', privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) }
  const { signatures } = await dkimSign(text, { ...key, signatureData: [key] })
  return signatures + text
}

for (const [what, sender, address, expected] of [
  ['an address that the domain names', 'ann@strict.example', '192.0.2.1', 'pass'],
  ['any other', 'ann@strict.example', '192.0.2.2', 'fail'],
  ['any other, softly', 'ann@careful.example', '192.0.2.2', 'softfail'],
  ['a domain that says nothing', 'ann@silent.example', '192.0.2.1', 'none'],
  ['a record that RFC 7208 does not allow', 'ann@loose.example', '192.0.2.1', 'permerror'],
  ['a domain whose DNS is out of order', 'ann@broken.example', '192.0.2.1', 'temperror'],
  ['an address by the name it has in DNS', 'ann@ptr.example', '192.0.2.1', 'pass'],
  ['the MX of the domain', 'ann@mx.example', '192.0.2.1', 'pass'],
  ['a null sender, by the name that the client gives itself', '', '192.0.2.1', 'pass'],
  ['a null sender from elsewhere', '', '2001:db8::1', 'fail'],
] as const)
  test(`SPF is ${expected} for ${what}`, async () => {
    const { spf } = await verdictOn({ sender, address })
    assert.equal(spf.result, expected)
    assert.equal(spf.identity, sender === '' ? 'helo' : 'mailfrom')
  })

for (const [what, sent, expected] of [
  ['not signed', {}, []],
  ['signed', { signedBy: 'strict.example' }, ['pass']],
  ['changed after it was signed', { signedBy: 'strict.example', tampered: true }, ['fail']],
  ['signed with a key that is not published', { signedBy: 'unknown.example' }, ['neutral']],
  ['signed with a key that cannot be looked up', { signedBy: 'broken.example' }, ['temperror']],
  ['signed in another version of DKIM', { signedBy: 'strict.example', replace: ['v=1;', 'v=2;'] }, ['neutral']],
  [
    'signed for somebody elsewhere',
    { signedBy: 'strict.example', replace: ['d=', 'i=@other.example; d='] },
    ['neutral'],
  ],
  ['said to be signed in more ways than anyone signs', { headers: 'DKIM-Signature: v=1\r\n'.repeat(11) }, ['neutral']],
] as const)
  test(`DKIM is ${expected.join() || 'not there'} where a message is ${what}`, async () => {
    const { dkim } = await verdictOn(sent)
    assert.deepEqual(each(dkim, 'result'), expected)
  })

/** Of a message by `a@` and from `b@` these domains of `.example`. */
const by = (author: string, sender = '', signer?: string, more: Sent = {}): Sent => ({
  ...{ author: `a@${author}.example`, sender: sender && `b@${sender}.example` },
  ...(signer !== undefined && { signedBy: `${signer}.example` }),
  ...more,
})
const twice = { headers: 'From: b@peer.example\r\n' }

for (const [what, sent, result, disposition] of [
  ['SPF passes for the author', by('strict', 'strict'), 'pass', 'none'],
  ['a signature of the author passes, whatever way the mail came', by('strict', 'other', 'strict'), 'pass', 'none'],
  ['only others vouch for it', by('strict', 'other', 'other'), 'fail', 'reject'],
  ['its signature fails', by('strict', '', 'strict', { tampered: true }), 'fail', 'reject'],
  ['it is from a subdomain', by('sub.strict', 'other'), 'fail', 'reject'],
  ['the author asks for quarantine', by('careful', 'other'), 'fail', 'quarantine'],
  ['a subdomain vouches, which is not exact', by('careful', 'mail.careful', 'mail.careful'), 'fail', 'quarantine'],
  ['a subdomain that does not exist is refused by `np=`', by('gone.unused'), 'fail', 'reject'],
  ['a subdomain exists, without addresses', by('used.unused'), 'fail', 'none'],
  ['a subdomain exists, as others below it do', by('above.unused'), 'fail', 'none'],
  ['the author only watches', by('watching', 'other'), 'fail', 'none'],
  ['the author says nothing', by('silent', 'other'), 'none', 'none'],
  ["nobody knows the author's policy", by('broken', 'other'), 'temperror', 'defer'],
  ["nobody knows it, but the author's very domain vouches", by('lame', 'lame'), 'temperror', 'none'],
  ['the policy above the author cannot be looked up', by('sub.lame', 'lame'), 'temperror', 'defer'],
  ["nobody can look up the author's SPF", by('half', 'half'), 'temperror', 'defer'],
  [
    'nobody says where it comes from, and no signature holds',
    by('strict', 'strict', undefined, { originKnown: false }),
    ...(['temperror', 'quarantine'] as const),
  ],
  ['nobody says so, and one holds', by('strict', 'strict', 'strict', { originKnown: false }), 'pass', 'none'],
  ['what cannot be looked up is of an author who only watches', by('calm', 'calm'), 'temperror', 'none'],
  ["the author's key cannot be looked up", by('half', 'other', 'half'), 'temperror', 'defer'],
  ['nobody can say whether a signature is aligned or holds', by('eu.far', 'watching', 'broken'), 'temperror', 'defer'],
  ["a stranger's lookup fails, which excuses nothing", by('strict', 'broken', 'broken'), 'fail', 'reject'],
  ['it has two From', by('silent', '', undefined, twice), 'permerror', 'quarantine'],
  ['it has two From, and an author of one asks for more', by('strict', '', undefined, twice), 'fail', 'reject'],
  ['From is empty', { from: '' }, 'permerror', 'quarantine'],
  ['From has no domain', { from: 'Ann <ann>' }, 'permerror', 'quarantine'],
  ['From is the address of a host', { from: 'ann@[192.0.2.1]' }, 'permerror', 'quarantine'],
  ['a second author asks for refusal', { from: 'x@peer.example, a@strict.example' }, 'fail', 'reject'],
  ['a first author asks for refusal', { from: 'a@strict.example; x@peer.example' }, 'fail', 'reject'],
  ['authors ask for different things', { from: 'a@careful.example, a@strict.example' }, 'fail', 'reject'],
  ['a second author asks for quarantine', { from: '<x@peer.example><a@careful.example>' }, 'fail', 'quarantine'],
  ['one of two vouches', by('', 'strict', undefined, { from: 'a@strict.example, b@silent.example' }), 'none', 'none'],
  ['one is of all', by('', 'strict', undefined, { from: 'a@strict.example, b@sub.strict.example' }), 'pass', 'none'],
  ['one is refused, and another unknown', { from: 'a@broken.example, a@strict.example' }, 'fail', 'reject'],
  ['a domain hides behind a soft hyphen', { from: 'a@str\u00adict.example' }, 'fail', 'reject'],
  ['a domain hides behind white space', { from: 'a@strict .example' }, 'fail', 'reject'],
  ['a domain hides behind letters as wide as two', { from: 'a@\uff53trict.example' }, 'fail', 'reject'],
  ['a name hides an address', { from: '=?utf-8?q?=3Ca=40strict.example=3E?= <x@peer.example>' }, 'fail', 'reject'],
] as const)
  test(`DMARC is ${result} where ${what}: ${disposition}`, async () => {
    const { dmarc, disposition: asked } = await verdictOn(sent)
    assert.deepEqual([dmarc.result, asked], [result, disposition])
  })

for (const [what, subject, own, expected] of [
  ['that the one which matters is forged', 'Ho', 'comes', ['fail', 'reject']],
  ['that it holds', 'Hi', 'comes', ['pass', 'none']],
  ['that its own never comes either', 'Hi', 'never comes', ['temperror', 'defer']],
] as const)
  test(`signatures are looked up together, so that keys which never come do not hide ${what}`, async () => {
    const resolver = new ZoneResolver(zone)
    const { txt } = resolver
    const asked: string[] = []
    const othersAsked = Promise.withResolvers<void>()
    resolver.txt = async (name) => {
      asked.push(name)
      if (asked.filter((one) => one.includes('._domainkey.')).length === 8) othersAsked.resolve()
      const answers = name.endsWith('._domainkey.strict.example') ? own === 'comes' : !name.endsWith('.slow.example')
      if (answers) return Reflect.apply(txt, resolver, [name])
      // As a name server that is never heard of, for whoever asks the next one only after this one.
      await othersAsked.promise
      throw new LookupFailed(name, 'timeout')
    }
    const text = 'From: ceo@strict.example\r\nSubject: Hi\r\n\r\nHello\r\n'
    const signatureOf = async (signed: string, domain: string) => (await sign(signed, domain)).slice(0, -signed.length)
    const slow = await signatureOf(text, 'slow.example')
    const never = Array.from({ length: 7 }, (_, place) => slow.replace('s=s1', `s=never${place}`)).join('')
    const last = await signatureOf(text.replace('Hi', subject), 'strict.example')
    const message = readMessage(Buffer.from(never + last + text))
    const parts = { resolver, reader: new MessageReader(), hostname: 'mx.mailroom.test' }
    const origin = { address: '192.0.2.9', helo: 'x.example' }
    const authors = readAuthors(message.headers)
    const { dmarc, disposition } = await authenticate(parts, { origin, sender: '' }, message, authors)
    assert.deepEqual([dmarc.domain, dmarc.result, disposition], ['strict.example', ...expected])
    const [policy, , key] = asked
    assert.deepEqual([policy, key], ['_dmarc.strict.example', 's1._domainkey.strict.example'])
  })

for (const [labels, steps] of Object.entries({ 3: 3, 7: 7, 8: 8, 20: 8 }))
  test(`the policy of a domain of ${labels} labels is looked for at ${steps} names (RFC 9989, section 4.10)`, async () => {
    const asked = new Set<string>()
    const resolver = new ZoneResolver(zone)
    const { txt } = resolver
    resolver.txt = (name) => {
      asked.add(name)
      return Reflect.apply(txt, resolver, [name])
    }
    const domain = [...Array.from({ length: Number(labels) - 1 }, (_, at) => `l${at}`), 'example'].join('.')
    const message = readMessage(Buffer.from(`From: Ann <ann@${domain}>\r\n\r\nHello\r\n`))
    const parts = { resolver, reader: new MessageReader(), hostname: 'mx.mailroom.test' }
    const origin = { address: '192.0.2.1', helo: 'peer.example' }
    await authenticate(parts, { origin, sender: '' }, message, readAuthors(message.headers))
    const above = domain.split('.').slice(1 - steps)
    const expected = [domain, ...above.map((_, from) => above.slice(from).join('.'))]
    const policies = [...asked].filter((name) => name.startsWith('_dmarc.')).toSorted()
    assert.deepEqual(policies, expected.map((name) => `_dmarc.${name}`).toSorted())
  })

test('for a minute the policy for a client is not asked for again, unless authors or results differ or nobody answered', async (t) => {
  let now = 0
  t.mock.method(performance, 'now', () => now)
  const resolver = new ZoneResolver(zone)
  const { mock } = t.mock.method(resolver, 'txt')
  const origin = { address: '192.0.2.1', helo: 'peer.example' }
  const judged = async (sent: Sent) => {
    mock.resetCalls()
    const { dmarc, disposition } = await verdictOn({ sender: 'b@other.example', ...sent }, { origin, resolver })
    const asked = mock.calls.some(({ arguments: [name] }) => name.startsWith('_dmarc.'))
    return [dmarc.domain, dmarc.result, disposition, asked]
  }
  const strict = { author: 'a@strict.example' }
  assert.deepEqual(await judged(strict), ['strict.example', 'fail', 'reject', true])
  now = 59_999
  assert.deepEqual(await judged(strict), ['strict.example', 'fail', 'reject', false])
  const signed = { ...strict, signedBy: 'strict.example' }
  assert.deepEqual(await judged(signed), ['strict.example', 'pass', 'none', true])
  assert.deepEqual(await judged({ ...signed, tampered: true }), ['strict.example', 'fail', 'reject', true])
  const careful = { author: 'a@careful.example' }
  assert.deepEqual(await judged(careful), ['careful.example', 'fail', 'quarantine', true])
  now += 60_000
  assert.deepEqual(await judged(careful), ['careful.example', 'fail', 'quarantine', true])
  const lame = { author: 'a@lame.example' }
  for (let n = 0; n < 2; n++) assert.deepEqual(await judged(lame), ['lame.example', 'temperror', 'defer', true])
})
