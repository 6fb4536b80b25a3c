// On both databases: several decide about one draft at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { now, readEvents } from '#test/events/furnished.ts'
import { each } from '#test/world/each.ts'
import { sendingWorld } from '#test/world/sending-world.ts'

const { world, organization, ada, sentMail } = await sendingWorld()
/** Writes drafts, and may not send. */
const writer = await organization.newKey('sending:draft')
const approver = await organization.newKey('sending:approve')

const by = (key: string, method: string, path: string, body?: object) =>
  organization.request(method, path, body, { key })

const created = (path: string, given: object) => organization.bodyOf(201, 'POST', path, given, { key: writer })

const draft = (text = 'Hello') => created('/v1/drafts', { mailbox: ada, to: 'bob@there.example', text })
const asked = (id: string) => created(`/v1/drafts/${id}/approval`, {})

const wires = async () => (await sentMail()).map(({ bytes }) => bytes.toString())

test('what is approved is sent, once, and who asked sees that', async () => {
  const { id, version } = await draft('Approved words')
  const approval = await asked(id)
  assert.partialDeepStrictEqual(approval, { draft_id: id, mailbox: ada, version, status: 'pending', sent_id: null })
  assert.equal((await by(writer, 'POST', `/v1/approvals/${approval.id}/approve`)).status, 403)
  assert.equal((await by(approver, 'GET', `/v1/drafts/${id}`)).body.text, 'Approved words')
  const { body: list } = await by(approver, 'GET', '/v1/approvals?status=pending')
  assert.deepEqual(each(list.data, 'id'), [approval.id])
  const answers = await Promise.all([1, 2, 3].map(() => by(approver, 'POST', `/v1/approvals/${approval.id}/approve`)))
  const [sent, ...more] = answers.filter(({ status }) => status === 202)
  assert.deepEqual([sent?.body.status, more.length], ['queued', 0])
  const [wire, ...others] = await wires()
  assert.match(wire ?? '', /Approved words/)
  assert.deepEqual(others, [])
  const { body } = await by(writer, 'GET', `/v1/approvals/${approval.id}`)
  assert.deepEqual([body.status, body.sent_id, body.decided_by.kind], ['approved', sent?.body.id, 'key'])
  assert.equal((await by(writer, 'GET', `/v1/drafts/${id}`)).status, 404)
})

test('what is declined stays a draft, with the reason', async () => {
  const { id } = await draft()
  const approval = await asked(id)
  const path = `/v1/approvals/${approval.id}`
  const { status, body } = await by(approver, 'POST', `${path}/decline`, { reason: 'Not so' })
  assert.deepEqual([status, body.status, body.reason], [200, 'declined', 'Not so'])
  for (const [deed, body] of [['approve'], ['decline', { reason: 'x' }]] as const)
    assert.equal((await by(approver, 'POST', `${path}/${deed}`, body)).status, 400)
  assert.equal((await by(writer, 'GET', `/v1/drafts/${id}`)).status, 200)
  assert.notEqual((await asked(id)).id, approval.id)
  assert.deepEqual(await wires(), [])
})

test('an edited draft needs another approval', async () => {
  const { id } = await draft('One')
  const first = await asked(id)
  await by(writer, 'PATCH', `/v1/drafts/${id}`, { text: 'Two' })
  assert.equal((await by(writer, 'GET', `/v1/approvals/${first.id}`)).body.status, 'outdated')
  assert.equal((await by(approver, 'POST', `/v1/approvals/${first.id}/approve`)).status, 400)
  const second = await asked(id)
  const third = await asked(id)
  assert.equal((await by(writer, 'GET', `/v1/approvals/${second.id}`)).body.status, 'outdated')
  assert.equal((await by(approver, 'POST', `/v1/approvals/${third.id}/approve`)).status, 202)
  const [wire] = await wires()
  assert.match(wire ?? '', /Two/)
})

test('what another mail program changed is not sent by an approval', async () => {
  const { id, uid } = await draft('One')
  const approval = await asked(id)
  const moved = { uids: [uid], folder: 'archive' }
  assert.equal((await organization.request('PATCH', `/v1/messages?mailbox=${ada}&folder=drafts`, moved)).status, 200)
  const { status, body } = await by(approver, 'POST', `/v1/approvals/${approval.id}/approve`)
  assert.deepEqual([status, body.error.code], [409, 'conflict'])
  assert.deepEqual(await wires(), [])
})

/** The text of a message on its way, one line. */
function textOf(wire: string): string {
  return /\r\n\r\n(.*)\r\n/.exec(wire)?.[1] ?? ''
}

const deeds = ['edit', 'ask', 'approve', 'decline', 'send', 'delete'] as const
type Deed = (typeof deeds)[number]

test('edits, requests, decisions and sending at once send what was approved, once, and nothing else', async () => {
  const several = fc.array(fc.constantFrom<Deed>(...deeds, 'edit', 'approve'), { minLength: 2, maxLength: 7 })
  await fc.assert(fc.asyncProperty(several, atOnce), { numRuns: 15, endOnFailure: true })
})

let round = 0

/** Does all that with one draft whose approval is being given. */
async function atOnce(chosen: readonly Deed[]): Promise<void> {
  const first = `Text ${++round}.0`
  const { id, version } = await draft(first)
  const texts = new Map<number, string>([[version, first]])
  const approvals = [(await asked(id)).id]
  let sent = 0
  const decide = (deed: string, body?: object) =>
    by(approver, 'POST', `/v1/approvals/${approvals.at(-1)}/${deed}`, body)
  const does: Record<Deed, (text: string) => Promise<unknown>> = {
    edit: async (text) => {
      const { status, body } = await by(writer, 'PATCH', `/v1/drafts/${id}`, { text })
      if (status === 200) texts.set(body.version, text)
    },
    ask: async () => {
      const { status, body } = await by(writer, 'POST', `/v1/drafts/${id}/approval`, {})
      if (status === 201) approvals.push(body.id)
    },
    approve: () => decide('approve'),
    decline: () => decide('decline', { reason: 'No' }),
    send: async () => {
      if ((await organization.request('POST', `/v1/drafts/${id}/send`, {})).status === 202) sent++
    },
    delete: () => by(writer, 'DELETE', `/v1/drafts/${id}`),
  }
  await Promise.all([does.approve(''), ...chosen.map((deed, index) => does[deed](`Text ${round}.${index + 1}`))])
  const left = (await wires()).map(textOf)
  const seen = await Promise.all(approvals.map((approval) => by(writer, 'GET', `/v1/approvals/${approval}`)))
  for (const { body } of seen.filter(({ body }) => body.status === 'approved')) {
    const at = left.indexOf(texts.get(body.version) ?? '')
    assert.ok(at >= 0, 'what was approved was sent')
    left.splice(at, 1)
  }
  assert.equal(left.length, sent, 'nothing else was sent but by whoever may')
}

test('the list can be that of a draft', async () => {
  const [one, other] = [await draft(), await draft()]
  const [first, second] = [await asked(one.id), await asked(one.id)]
  await asked(other.id)
  const { body } = await by(writer, 'GET', `/v1/approvals?draft=${one.id}`)
  assert.deepEqual(each(body.data, 'id', 'status'), [
    [second.id, 'pending'],
    [first.id, 'outdated'],
  ])
  assert.equal((await by(writer, 'GET', '/v1/approvals?draft=none')).status, 404)
})

test('events tell who may approve that approval is asked for, and who writes what becomes of it', async () => {
  const [reader, waits] = await Promise.all([
    organization.newKey('events:read', 'sending:approve'),
    organization.newKey('events:read', 'sending:draft'),
  ])
  const since = await now(world, { organization })
  const { id } = await draft('One')
  const first = await asked(id)
  await by(writer, 'PATCH', `/v1/drafts/${id}`, { text: 'Two' })
  const second = await asked(id)
  await by(approver, 'POST', `/v1/approvals/${second.id}/decline`, { reason: 'No' })
  const third = await asked(id)
  await by(approver, 'POST', `/v1/approvals/${third.id}/approve`)
  const told = async (key: string, type: string) =>
    (await readEvents({ organization }, 3, `?after=${since}&types=${type}`, key)).map(({ item }) => item)
  const items = (...names: string[]) => [first, second, third].map(({ id }, at) => ({ id, name: names[at] }))
  assert.partialDeepStrictEqual(await told(reader, 'approval.created'), items('pending', 'pending', 'pending'))
  assert.partialDeepStrictEqual(await told(waits, 'approval.changed'), items('outdated', 'declined', 'approved'))
  assert.equal((await wires()).length, 1)
})
