import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { readMessage } from '#/formats/mime/read-message.ts'
import { failing } from '#test/world/database/failing.ts'
import { loggedIn, startSubmitting, submittingMailbox, written } from '#test/world/mail/submission.ts'
import { ofFile } from '#test/world/of-file.ts'

const on = ofFile(await startSubmitting())
const { world, sink, organization } = on
const ada = await submittingMailbox(organization, 'ada')

interface Arrived {
  readonly uid: number
  readonly message_id: string
}

async function arrived(messageId: string): Promise<Arrived> {
  const envelope = { from: 'ann@books.example', to: ada.address }
  await world.send({ from: 'ann@books.example', to: ada.address, subject: 'Books', text: 'Two', messageId, envelope })
  const { body } = await organization.request('GET', `/v1/messages?mailbox=${ada.address}&limit=1`)
  return body.data[0]
}

async function ask(method: 'POST' | 'PATCH', path: string, given: object): Promise<{ id: string }> {
  const { status, body } = await organization.request(method, path, given)
  assert.ok(status < 300, JSON.stringify(body))
  return body
}

const to = 'bob@there.example'
const about = ({ message_id: id }: Arrived) => ({ from: ada.address, to, text: 'Yes', in_reply_to: id })
const forwards = ({ message_id: id }: Arrived) => ({ 'X-Forwarded-Message-Id': id })
const soon = () => new Date(world.clock.now() + 60_000).toISOString()

const replied = ({ uid }: Arrived) => ask('POST', `/v1/messages/${uid}/reply?mailbox=${ada.address}`, { text: 'Yes' })

/** Makes a draft about the message, edits it, and sends it. */
async function drafted({ uid }: Arrived, mode: string, fields: object, sending: object = {}): Promise<void> {
  const { id } = await ask('POST', '/v1/drafts', { mailbox: ada.address, original: { uid, mode }, to, ...fields })
  await ask('PATCH', `/v1/drafts/${id}`, { text: 'Edited' })
  await ask('POST', `/v1/drafts/${id}/send`, sending)
}

/** Stores a draft as another mail program does, and sends it. */
async function draftedElsewhere({ message_id: id }: Arrived): Promise<void> {
  const header = `From: ${ada.address}\r\nTo: ${to}\r\nX-Mailer: Other\r\nReferences: ${id}\r\nX-Forwarded-Message-Id: ${id}`
  const marks = { seen: true, flagged: false, keywords: [], filteredBy: [] }
  const mailbox = { organizationId: organization.id, mailboxId: ada.id }
  const message = readMessage(Buffer.from(`${header}\r\n\r\nSee\r\n`))
  const copy = { mailbox, folder: 'drafts', message, receivedAt: new Date(), ...marks }
  await world.store([copy])
  const { body } = await organization.request('GET', `/v1/drafts?mailbox=${ada.address}`)
  await ask('PATCH', `/v1/drafts/${body.data[0].id}`, { subject: 'Edited' })
  await ask('POST', `/v1/drafts/${body.data[0].id}/send`, {})
}

async function submitted(fields: Record<string, string>): Promise<void> {
  await using client = await loggedIn(on.port, ada.address)
  await client.send(ada.address, to, written(ada.address, fields))
}

for (const [what, send, marks] of [
  ['an answer', (one) => replied(one), 'answered'],
  ['a message that names it', (one) => ask('POST', '/v1/send', about(one)), 'answered'],
  ['one of several messages', (one) => ask('POST', '/v1/send/batch', { messages: [about(one)] }), 'answered'],
  ['one that forwards it', (one) => ask('POST', '/v1/send', { ...about(one), headers: forwards(one) }), 'forwarded'],
  ['the draft of an answer', (one) => drafted(one, 'reply', {}), 'answered'],
  ['a draft that forwards it', (one) => drafted(one, 'forward', {}), 'forwarded'],
  ['one with fields of its own', (one) => drafted(one, 'forward', { headers: { 'X-Tag': 'a' } }), 'forwarded'],
  ['a draft that another program wrote', draftedElsewhere, 'forwarded'],
  ['a scheduled message', (one) => ask('POST', '/v1/scheduled', { ...about(one), send_at: soon() }), 'answered'],
  ['a scheduled draft that forwards it', (one) => drafted(one, 'forward', {}, { send_at: soon() }), 'forwarded'],
  ['what a mail program submits', (one) => submitted({ 'In-Reply-To': one.message_id }), 'answered'],
  ['what a program forwards', (one) => submitted({ 'In-Reply-To': one.message_id, ...forwards(one) }), 'forwarded'],
] as const satisfies readonly (readonly [string, (one: Arrived) => Promise<unknown>, string])[])
  test(`a message is shown as ${marks} once ${what} is sent, wherever it is shown`, async () => {
    const id = `<${what.replaceAll(' ', '.')}@books.example>`
    const one = await arrived(id)
    await send(one)
    await world.advance(60_000)
    await world.rounds.processAll()
    await world.outbound.processAll()
    assert.equal(sink.taken.splice(0).length, 1)
    const expected = [{ uid: one.uid, answered: marks === 'answered', forwarded: marks === 'forwarded' }]
    const at = `mailbox=${ada.address}`
    const { body } = await organization.request('GET', `/v1/messages/${one.uid}?${at}`)
    const found = [body]
    for (const path of [
      `/v1/threads/${body.thread_id}?${at}`,
      `/v1/conversations/${body.conversation_id}?${at}`,
      `/v1/messages?${at}&uids=${one.uid}`,
      `/v1/search?${at}&q=${encodeURIComponent(`message_id:"${id}"`)}`,
    ]) {
      const { status, body } = await organization.request('GET', path)
      assert.equal(status, 200, path)
      found.push(...(body.messages ?? body.data).filter((other: { message_id: string }) => other.message_id === id))
    }
    const shown = found.map(({ uid, answered, forwarded }) => ({ uid, answered, forwarded }))
    assert.deepEqual(shown, Array.from({ length: 5 }, () => expected).flat())
  })

test('where the copy of a scheduled message cannot be stored at first, it is marked with the copy, once', async () => {
  const one = await arrived('<later@books.example>')
  await ask('POST', '/v1/scheduled', { ...about(one), send_at: soon() })
  await using full = await failing(world.db, 'insert', 'mail_messages')
  await world.advance(60_000)
  await world.rounds.processAll()
  const told = async () => {
    const { rows } = await sql`
      select from events where mailbox_id = ${ada.id} and type = 'message.changed'
        and data @> ${JSON.stringify({ folder: 'inbox', uid: one.uid, answered: true })}::jsonb`.execute(world.db)
    return rows.length
  }
  assert.equal(await told(), 0)
  await full[Symbol.asyncDispose]()
  await world.advance(60_000)
  await world.outbound.processAll()
  assert.equal(await told(), 1)
})
