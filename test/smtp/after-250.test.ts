import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { configure, forwardsTo, mailboxThat as newMailboxThat } from '#test/world/mail/forwarding.ts'
import { tablesWith } from '#test/world/observe/tables-with.ts'
import { signingDomain } from '#test/world/organization/signing-domain.ts'
import { sendingWorld } from '#test/world/sending-world.ts'

const { world, sink, ...first } = await sendingWorld()
let { organization } = first
world.dns.set('far.example', { txt: ['v=spf1 ip4:127.0.0.1 -all'] })
beforeEach(async () => {
  organization = await world.organization()
  await signingDomain(world, organization)
  sink.taken.length = 0
})

const mailboxThat = async (change: object) => (await newMailboxThat(organization, change)).address
const forwards = forwardsTo('ada@away.example')
const answers = { reply_body: 'I am away.', reply_enabled: true }

const write = (to: string, text: string) => world.send({ from: 'zoe@far.example', to, subject: 'Hello', text })

async function queued(): Promise<unknown[]> {
  const { rows } = await sql<{ kind: string; state: string; reason: string | null }>`
    select message.kind, message.state, recipient.reason from outbound_messages message
    join outbound_recipients recipient on recipient.message_id = message.id order by 1`.execute(world.db)
  return rows.map(({ kind, state, reason }) => [kind, state, reason])
}

const goneTo = () => sink.taken.map(({ to }) => to[0]).toSorted()

test('with 250 a forwarded message and an automatic answer are rows, sealed, and a worker composes them', async () => {
  const address = await mailboxThat({ ...forwards, ...answers })
  await write(address, 'A sentence that nobody else writes')
  assert.deepEqual(await queued(), [
    ['relayed', 'uncomposed', null],
    ['reply', 'uncomposed', null],
  ])
  for (const text of ['I am away', 'A sentence that nobody']) {
    const tables = (await tablesWith(world.db, text)).filter((table) => table.startsWith('outbound'))
    assert.deepEqual(tables, [])
  }
  await world.outbound.processAll()
  assert.deepEqual([await queued(), goneTo()], [[], ['ada@away.example', 'zoe@far.example']])
})

test('before 250 the DNS is asked for SPF, DKIM and DMARC alone, and for the keys of a chain after it', async (t) => {
  const [first, second] = [await mailboxThat(forwards), await mailboxThat(forwards)]
  await write(first, 'Sealed')
  await world.outbound.processAll()
  const raw = sink.taken.splice(0)[0]?.bytes.toString() ?? ''
  const selector = /^ARC-Seal:.*?\bs=([^;]+);/ms.exec(raw)?.[1]
  assert.ok(selector)
  const types = ['txt', 'mx', 'a', 'aaaa', 'cname', 'ptr'] as const
  const lookups = types.map((type) => ({ type, spy: t.mock.method(world.dns, type) }))
  const asked = () =>
    new Set(lookups.flatMap(({ type, spy }) => spy.mock.calls.map((call) => `${type} ${call.arguments[0]}`)))
  const key = `${selector}._domainkey.${organization.domain}`
  const unmarked = raw.replace(/^Mailroom-Relayed:.*\r\n.*\r\n/m, '')
  await world.send({ envelope: { from: 'zoe@far.example', to: second }, raw: unmarked })
  assert.deepEqual([...asked()].toSorted(), ['txt _dmarc.example', 'txt _dmarc.far.example', 'txt far.example'])
  await world.outbound.processAll()
  assert.ok(asked().has(`txt ${key}`))
  assert.match(sink.taken[0]?.bytes.toString() ?? '', /^ARC-Seal: i=2;/m)
})

test('a message that cannot be composed is deferred, and sent once it can be', async () => {
  const address = await mailboxThat(answers)
  const { rows } = await sql<{ id: string; key: Buffer }>`
    with before as (select id, private_key from dkim_keys where organization_id = ${organization.id})
    update dkim_keys set private_key = '\\x00' from before where dkim_keys.id = before.id
    returning before.id, before.private_key as key`.execute(world.db)
  await write(address, 'Hello')
  await world.outbound.processAll()
  assert.deepEqual([await queued(), goneTo()], [[['reply', 'uncomposed', 'Internal error']], []])
  for (const { id, key } of rows)
    await world.db.updateTable('dkim_keys').set({ private_key: key }).where('id', '=', id).execute()
  await world.advance(2 * 60_000)
  await world.outbound.processAll()
  assert.deepEqual([await queued(), goneTo()], [[], ['zoe@far.example']])
})

test('what is switched off after 250 is not composed', async () => {
  const address = await mailboxThat(forwards)
  await write(address, 'Hello')
  await configure(organization, address, { forward_enabled: false })
  await world.outbound.processAll()
  assert.deepEqual([await queued(), goneTo()], [[], []])
})
