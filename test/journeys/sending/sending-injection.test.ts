import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import fc from 'fast-check'
import { scopes } from '#/http/access/scopes.ts'
import { emptyMailbox } from '#/mail/empty.ts'
import type { MailboxRef } from '#/mail/mailbox-ref.ts'
import { readContent } from '#/mime/body/content.ts'
import { tablesWith } from '#test/observe/tables-with.ts'
import type { Schema } from '#test/sockets/http-client.ts'
import { storedIn } from '#test/world/mail/private-mailbox.ts'
import { sendingWorld } from '#test/world/sending-world.ts'

// On one database: it looks at messages as they leave.

const { world, sink, organization, ada, adaId } = await sendingWorld({ plan: 'self_hosted' })
world.dns.set('far.example', { txt: ['v=spf1 ip4:127.0.0.1 -all'] })
const mailbox: MailboxRef = { organizationId: organization.id, mailboxId: adaId }
beforeEach(async () => {
  mark = `marked${Number(mark.slice('marked'.length)) + 1}`
  // A key has 600 requests a minute, and the clock of a database on a server cannot be advanced.
  organization.key = await organization.newKey(...scopes)
  sink.taken.length = 0
  sink.lines.length = 0
})

/** In every text that a test tries, so that it is found wherever it is stored. What the tests before have done stays in the
 *  audit trail. */
let mark = 'marked1'

const message = () => ({
  from: `${mark} <${ada}>`,
  to: [`${mark} <bob@there.example>`],
  cc: [`"${mark}" <cy@there.example>`],
  bcc: `${mark}@there.example`,
  reply_to: [`${mark} <ada@there.example>`],
  subject: mark,
  text: 'Hello',
  in_reply_to: `<${mark}@there.example>`,
  references: [`<${mark}@there.example>`],
  attachments: [{ filename: `${mark}.txt`, content: 'SGk=', content_type: `text/${mark}`, content_id: mark }],
})

/** Requests whose texts reach headers, all of them accepted as they are here. */
const requests: Readonly<Record<string, () => object>> = {
  'POST /v1/send': message,
  'POST /v1/scheduled': () => ({ ...message(), send_at: new Date(world.clock.now() + 3_600_000).toISOString() }),
  'PATCH /v1/forwarding': () => ({
    ...{ mailbox: ada, forward_to: `${mark}@there.example`, forward_until: '2036-11-21T08:00:00Z' },
    ...{ reply_subject: mark, reply_until: '2036-11-21T08:00:00Z' },
  }),
  'POST /v1/domains': () => ({ domain: `${mark}.test` }),
  // Last, since a mailbox stays.
  'POST /v1/mailboxes': () => ({ domain: organization.domain, local_part: mark, name: mark }),
}

/** These are texts of many lines by nature, and stand in no header. */
const manyLines = ['text', 'html', 'reply_body', 'public_key']

const breaks = {
  'a CR': '\r',
  'an LF': '\n',
  'a NUL': '\0',
  'a CR, an LF and a field': '\r\nBcc: eve@there.example\r\nX: ',
  'a line separator': '\u2028',
  'a next line': '\u0085',
}

type Step = string | number

/** The places of all texts in a body of this schema, as far as the sample has them, and of those that it lacks. */
function places(schema: Schema, sample: unknown, at: readonly Step[] = []): (readonly Step[])[] {
  if (Array.isArray(sample)) return sample.flatMap((one, n) => places(schema.items ?? {}, one, [...at, n]))
  if (schema.properties) {
    return Object.entries(schema.properties).flatMap(([name, property]) =>
      places(property, (sample as Record<string, unknown> | undefined)?.[name], [...at, name]),
    )
  }
  return [schema.type].flat().includes('string') ? [at] : []
}

function changed(body: unknown, [step, ...rest]: readonly Step[], change: (text: string) => string): unknown {
  if (step === undefined) return change(typeof body === 'string' ? body : mark)
  const inner = changed((body as Record<Step, unknown>)[step], rest, change)
  return Array.isArray(body) ? body.with(Number(step), inner) : { ...(body as object), [step]: inner }
}

const fieldOf = (place: readonly Step[]) =>
  place
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .slice(1)

/** The tables that have it, and `sent` for each copy in Sent that does: a mail server may have those. */
async function placesMarked(): Promise<string[]> {
  const copies = await storedIn(organization, mailbox.mailboxId, 'sent')
  return [...(await tablesWith(world.db, mark)), ...copies.flatMap((raw) => (raw.includes(mark) ? ['sent'] : []))]
}

for (const [operation, sample] of Object.entries(requests))
  test(`no text of ${operation} may break a line of a header, and where one does nothing is stored`, async () => {
    const [method = '', path = ''] = operation.split(' ')
    const description = await world.client.description()
    const schema = description.paths[path]?.[method.toLowerCase()]?.requestBody?.content['application/json'].schema
    assert.ok(schema)
    const lines = places(schema, sample()).filter((place) => !manyLines.includes(String(place.at(-1))))
    assert.ok(lines.length > 0)
    for (const place of lines)
      for (const [what, text] of Object.entries(breaks))
        for (const where of [0, 0.5, 1]) {
          world.clock.advance(110)
          const body = changed(sample(), place, (fine) => {
            const at = Math.round(where * fine.length)
            return fine.slice(0, at) + text + fine.slice(at)
          })
          const answer = await organization.request(method, path, body)
          const description = `${fieldOf(place)} with ${what}: ${JSON.stringify(answer.body)}`
          assert.deepEqual([answer.status, answer.body.error?.field], [400, fieldOf(place)], description)
        }
    assert.deepEqual(await placesMarked(), [])
    const { status, body } = await organization.request(method, path, sample())
    assert.ok(status >= 200 && status < 300, JSON.stringify(body))
    assert.notDeepEqual(await placesMarked(), [])
    for (const table of ['outbound_recipients', 'outbound_messages', 'forwarding'] as const)
      await world.db.deleteFrom(table).execute()
    await Array.fromAsync(emptyMailbox(world.db, mailbox))
    await world.db.deleteFrom('domains').where('domain', '=', `${mark}.test`).execute()
  })

const pieces = [
  ...': < > " \\ , ; ( ) @ . = %0d%0a \\r\\n -- \u202e 😀 é Bcc: =? ?='.split(' '),
  ...[' ', '  ', '\u00a0', 'x'.repeat(90), 'long '.repeat(40), 'Bcc: eve@there.example'],
  '=?utf-8?Q?=0D=0ABcc:_eve@there.example?=',
]
const hostile = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => parts.join('').trim())
/** The names of a header's fields, in lower case, sorted. */
function fieldNames(head: string): string[] {
  const fields = head.split(/\r\n(?![ \t])/).filter(Boolean)
  return fields.map((field) => field.slice(0, field.indexOf(':')).toLowerCase()).sort()
}

test('whatever a message says of itself, its automatic answer has the fields that it should have', async () => {
  const { address } = await organization.mailbox('away', { name: 'Ada, "the" Countess' })
  const settings = { mailbox: address, reply_body: 'I am away', reply_enabled: true }
  assert.equal((await organization.request('PATCH', '/v1/forwarding', settings)).status, 200)
  const encoded = (text: string) => `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`
  const ends = fc.constantFrom('\r\nBcc: eve@there.example', '\r\n\r\nbody', '\0', '\n', '\r', '\u2028', '\r\n ')
  const subject = fc.tuple(hostile, ends, hostile).map(([one, end, other]) => encoded(one + end + other))
  const id = fc.oneof(
    fc.constantFrom('<a@x>', '\r\n <a@x>', '<a\r\n b@x>', '<a@x> Bcc: eve', '<a>b@x>', '<>', ''),
    fc.constant(`<${encoded('a\r\nBcc: e')}@x>`),
    hostile,
  )
  let count = 0
  await fc.assert(
    fc.asyncProperty(subject, id, fc.array(id, { maxLength: 3 }), async (subject, id, references) => {
      const from = `bob${++count}@far.example`
      const known = `From: ${from}\r\nTo: ${address}\r\nSubject: ${subject}\r\n`
      const raw = `${known}Message-ID: ${id}\r\nReferences: ${references.join(' ')}\r\n\r\nHi\r\n`
      await world.send({ envelope: { from, to: address }, raw })
      await world.outbound.processAll()
      const [answer, ...others] = sink.taken.splice(0)
      assert.ok(answer)
      assert.deepEqual([others, answer.to], [[], [from]])
      const [head = ''] = answer.bytes.toString('latin1').split('\r\n\r\n')
      const names = fieldNames(head)
      const usual = names.filter((name) => name !== 'in-reply-to' && name !== 'references')
      const content = ['content-transfer-encoding', 'content-type', 'date', 'from', 'message-id', 'mime-version']
      assert.deepEqual(usual, ['auto-submitted', ...content, 'subject', 'to', 'x-auto-response-suppress'])
      assert.equal(new Set(names).size, names.length)
      assert.equal(readContent(answer.bytes).text?.trim(), 'I am away')
    }),
    { numRuns: 25 },
  )
})
