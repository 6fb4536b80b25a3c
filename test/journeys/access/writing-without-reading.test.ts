import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Scope } from '#/http/access/scopes.ts'
import { type Furnished, furnish } from '#test/world/organization/furnished.ts'
import { everyOperation, pathOf, removingLast } from '#test/world/routes/every-route.ts'
import { World } from '#test/world/world.ts'

const world = await World.ofFile()

/** What only the mail of `furnish` says, and messages that are to be sent. */
const told = /Notes|charles@engines|Attached|note\.txt|bob@nowhere/

/** A preview that has matched the message. */
async function previewed({ organization, address }: Furnished): Promise<string> {
  const made = async (path: string, body: object) => (await organization.request('POST', path, body)).body
  const matching = { name: 'f', field: 'subject', op: 'contains', value: 'notes', action: 'read' }
  const { id } = await made('/v1/filters', matching)
  const run = await made(`/v1/filters/${id}/runs`, { mailboxes: [address], preview: true })
  await world.filterRunner.processAll()
  const { body } = await organization.request('GET', `/v1/filter-runs/${run.id}`)
  assert.match(JSON.stringify(body.sample), told)
  return run.id
}

test('every route that changes something × a key that may do that alone: its answer says nothing of the mail', async () => {
  const furnished = await furnish(world)
  const one = { ...furnished, ids: { ...furnished.ids, run: await previewed(furnished) } }
  // A draft is read by whoever may write it.
  const changing = removingLast(await everyOperation(world)).filter(
    ({ method, path }) => method !== 'GET' && !path.startsWith('/v1/drafts'),
  )
  for (const { name, method, path, sample, scopes } of changing) {
    const key = await one.organization.newKey(scopes[0] as Scope)
    const body = sample.body?.(one)
    const answer = await one.organization.request(method, pathOf(path, sample, one), body, { key })
    assert.equal(answer.status, sample.status ?? 200, `${name}: ${JSON.stringify(answer.body)}`)
    assert.doesNotMatch(JSON.stringify(answer.body), told, name)
  }
})

test('a change is answered with ids and flags alone, and whole to a key that reads too', async () => {
  const one = await furnish(world)
  const { organization, address, ids } = one
  const change = async (...scopes: Scope[]) => {
    const key = await organization.newKey(...scopes)
    const path = `/v1/messages/${ids.message}?mailbox=${address}`
    return (await organization.request('PATCH', path, { starred: true }, { key })).body
  }
  const flags = ['answered', 'folder', 'forwarded', 'id', 'labels', 'starred', 'uid', 'unread']
  assert.deepEqual(Object.keys(await change('messages:write')).sort(), flags)
  assert.equal((await change('messages:write', 'messages:read')).subject, 'Notes')
})

test('an answer with a quotation, and the addresses that an answer would go to, need the scope to read', async () => {
  const { organization, address, ids } = await furnish(world)
  const reply = async (body: object, ...scopes: Scope[]) => {
    const key = await organization.restrictedKey({ recipients: ['@elsewhere.example'] }, scopes)
    const path = `/v1/messages/${ids.message}/reply?mailbox=${address}`
    const answer = await organization.request('POST', path, body, { key })
    return [answer.status, JSON.stringify(answer.body)] as const
  }
  const [quoting] = await reply({ text: 'Hi', quote: true }, 'sending:write')
  assert.equal(quoting, 403)
  const [status, said] = await reply({ text: 'Hi' }, 'sending:write')
  assert.equal(status, 400)
  assert.doesNotMatch(said, told)
  const [, whole] = await reply({ text: 'Hi', quote: true }, 'sending:write', 'messages:read')
  assert.match(whole, /may not send to charles@engines/)
})
