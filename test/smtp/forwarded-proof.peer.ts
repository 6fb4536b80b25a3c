import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { signingDomain } from '#test/world/organization/signing-domain.ts'
import { sendingWorld } from '#test/world/sending-world.ts'

/** Debian's Python, which its dkimpy belongs to. */
const python = '/usr/bin/python3'

/** Reads `[{names}, message]`, and says what dkimpy finds of its signatures and of its ARC chain. */
const check = `
import base64, dkim, json, sys
names, message = json.load(sys.stdin)
message = base64.b64decode(message)
def look_up(name, timeout=5):
    return names.get(name.decode().rstrip('.').lower(), '').encode() or None
count = message.lower().count(b'\\ndkim-signature:') + message.lower().startswith(b'dkim-signature:')
signatures = [dkim.DKIM(message).verify(idx=n, dnsfunc=look_up) for n in range(count)]
status, results, reason = dkim.arc_verify(message, dnsfunc=look_up)
print(json.dumps([signatures, (status or b'none').decode(), len(results)]))
`

if (!existsSync(python)) throw new Error(`There is no ${python}: apt-get install python3-dkim python3-nacl`)
const { world, organization, sentMail } = await sendingWorld()
world.dns.set('far.example', { txt: ['v=spf1 ip4:127.0.0.1 -all'] })
await signingDomain(world, organization)

async function configured(localPart: string, change: object): Promise<string> {
  const { address } = await organization.mailbox(localPart)
  const { status } = await organization.request('PATCH', '/v1/forwarding', { mailbox: address, ...change })
  assert.equal(status, 200)
  return address
}

/** What dkimpy says of the one message that went out. */
async function found(): Promise<unknown> {
  const [taken, ...others] = await sentMail()
  assert.ok(taken && others.length === 0)
  const keys = await world.db.selectFrom('dkim_keys').select(['selector', 'algorithm', 'public_key']).execute()
  const names = Object.fromEntries(
    keys.map((key) => [
      `${key.selector}._domainkey.${organization.domain}`,
      `v=DKIM1; k=${key.algorithm}; p=${key.public_key}`,
    ]),
  )
  const said = Promise.withResolvers<string>()
  const child = execFile(python, ['-c', check], (error, out) => (error ? said.reject(error) : said.resolve(out)))
  child.stdin?.end(JSON.stringify([names, taken.bytes.toString('base64')]))
  return JSON.parse(await said.promise)
}

test('dkimpy finds a chain of one set valid, and one of two', async () => {
  const last = await configured('last', { forward_to: 'x@away.example', forward_enabled: true })
  const first = await configured('first', { forward_to: last, forward_enabled: true })
  for (const [to, sets] of [
    [last, 1],
    [first, 2],
  ] as const) {
    await world.send({ from: 'ann@far.example', to, subject: 'Grüße', text: `To ${to}` })
    assert.deepEqual(await found(), [[], 'pass', sets])
  }
})

test('dkimpy finds both signatures valid of a message whose From is the mailbox, and its chain', async () => {
  world.dns.set('_dmarc.strict.example', { txt: ['v=DMARC1; p=reject'] })
  world.dns.set('strict.example', { txt: ['v=spf1 ip4:127.0.0.1 -all'] })
  const to = await configured('own', { forward_to: 'x@away.example', forward_enabled: true })
  await world.send({ from: 'Zoë <zoe@strict.example>', to, subject: 'Hello', text: 'Hello' })
  assert.deepEqual(await found(), [[true, true], 'pass', 1])
})

test('dkimpy finds both signatures of an automatic answer valid', async () => {
  const to = await configured('away', { reply_body: 'Ich bin fort – bis später.', reply_enabled: true })
  await world.send({ from: 'ann@far.example', to, subject: 'Hello', text: 'Hello' })
  assert.deepEqual(await found(), [[true, true], 'none', 0])
})
