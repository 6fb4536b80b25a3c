import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import type { Killing } from '#test/faults/letters/post-office.ts'
import type { Service } from '#test/world/service.ts'
import { KilledService } from './killed-service.ts'

// Between a move on a mail server and its record, which no transaction has in common.

const subjects = ['Note 1', 'Note 2', 'Note 3', 'Note 3']
const tests = ['begun', 'made', 'recorded', 'new', 'run', 'undo-begun', 'undo-made', 'moved-on'] as const
type Box = (typeof tests)[number]

let prepared: KilledService
before(async () => {
  const filter = { name: 'Notes', field: 'subject', op: 'contains', value: 'note', action: 'move', argument: 'Notes' }
  // Arriving mail is moved by no filter.
  prepared = await KilledService.prepare(tests, subjects, [{ ...filter, enabled: false }])
})
after(() => prepared[Symbol.asyncDispose]())

const move = (service: Service, box: Box, body: object) =>
  prepared.ask(service, 'PATCH', `/v1/messages?mailbox=${box}@run.test`, { uids: [1, 2, 3, 4], ...body })

async function subjectsIn(service: Service, box: Box, folder: string): Promise<string[]> {
  const messages = await prepared.messages(service, box, folder)
  for (const { unread, starred } of folder === 'inbox' ? messages : [])
    assert.deepEqual([unread, starred], [true, false])
  return messages.map(({ subject }) => subject).sort()
}

/** Everything is in the inbox again, unread and without a star. */
async function assertUndone(service: Service, box: Box, undo: Record<string, unknown>, moved: number): Promise<void> {
  assert.deepEqual([undo.kind, undo.state, undo.left_alone, undo.left], ['undo', 'done', 0, []])
  assert.equal(undo.messages, moved)
  assert.deepEqual(await subjectsIn(service, box, 'inbox'), subjects)
}

async function undone(service: Service, changeId: string) {
  await prepared.ask(service, 'POST', `/v1/changes/${changeId}/undo`)
  await prepared.ended(service, '/v1/changes?limit=1')
  const { data } = await prepared.ask(service, 'GET', '/v1/changes?limit=1')
  return prepared.ask(service, 'GET', `/v1/changes/${data[0].id}`)
}

// What is about to be done is written before the move; after it, that goes in favour of what was done.
const [intended, made] = ['insert into change_parts', 'delete from change_parts where id = any']
const whole = { folder: 'archive', starred: true, unread: false }
for (const [box, what, statements, when, body, there] of [
  ['begun', 'before a move', [intended], 'after', whole, 'inbox'],
  ['made', 'between a move and its record', [made], 'before', whole, 'archive'],
  ['recorded', 'before its record is committed', [made, 'commit'], 'before', { folder: 'archive' }, 'archive'],
  ['new', 'between a move to a new folder and its record', [made], 'before', { folder: 'New' }, 'New'],
] as const) {
  test(`a bulk change on a Dovecot can be undone although its process is killed ${what}`, async (t) => {
    const next = await killed(t, { statements, when }, (doomed) => move(doomed, box, body))
    if (there !== 'inbox') assert.deepEqual(await subjectsIn(next, box, there), subjects)
    const { data } = await prepared.ask(next, 'GET', '/v1/changes')
    assert.deepEqual([data[0].kind, data[0].messages], ['messages', 4])
    await assertUndone(next, box, await undone(next, data[0].id), there === 'inbox' ? 0 : 4)
    await next.end('SIGTERM')
  })
}

test('a run that moves on a Dovecot is counted once and can be undone although its process is killed before the record', async (t) => {
  const next = await killed(t, { statements: [made], when: 'before' }, async (doomed) => {
    const { data } = await prepared.ask(doomed, 'GET', '/v1/filters')
    const { id } = data.find(({ name }: { name: string }) => name === 'Notes')
    await prepared.ask(doomed, 'POST', `/v1/filters/${id}/runs`, { mailboxes: ['run@run.test'] })
    await prepared.ended(doomed, '/v1/filter-runs')
  })
  const run = await prepared.ended(next, '/v1/filter-runs')
  assert.deepEqual([run.state, run.seen, run.changed, run.moved], ['done', 4, 4, 4])
  assert.deepEqual(await subjectsIn(next, 'run', 'Notes'), subjects)
  assert.equal((await prepared.ask(next, 'GET', `/v1/changes/${run.change_id}`)).messages, 4)
  await assertUndone(next, 'run', await undone(next, run.change_id), 4)
  await next.end('SIGTERM')
})

for (const [box, what, statements, when] of [
  ['undo-begun', 'before it moves', [intended, intended, intended], 'after'],
  ['undo-made', 'between its move and the record', [made, made], 'before'],
] as const) {
  test(`an undo that moves on a Dovecot counts each message once although its process is killed ${what}`, async (t) => {
    const next = await killed(t, { statements, when }, async (doomed) => {
      const { change_id } = await move(doomed, box, whole)
      await prepared.ask(doomed, 'POST', `/v1/changes/${change_id}/undo`)
    })
    const { id } = await prepared.ended(next, '/v1/changes')
    await assertUndone(next, box, await prepared.ask(next, 'GET', `/v1/changes/${id}`), 4)
    await next.end('SIGTERM')
  })
}

test('what was moved on by a mail program since is named by the undo, and the rest comes back', async (t) => {
  const box = 'moved-on'
  const next = await killed(t, { statements: [made], when: 'before' }, (doomed) => move(doomed, box, whole))
  const one = `/v1/messages/2?mailbox=${box}@run.test&folder=archive`
  await prepared.ask(next, 'PATCH', one, { folder: 'trash' })
  const { data } = await prepared.ask(next, 'GET', '/v1/changes')
  const undo = await undone(next, data[0].id)
  assert.equal(undo.left_alone, 1)
  assert.equal(undo.left[0].reason, 'gone')
  assert.deepEqual(await subjectsIn(next, box, 'inbox'), ['Note 1', 'Note 3', 'Note 3'])
  await next.end('SIGTERM')
})

function killed(t: TestContext, killing: Killing, work: (doomed: Service) => Promise<unknown>): Promise<Service> {
  return prepared.killedWhile(t, killing, async (doomed) => void (await work(doomed)))
}
