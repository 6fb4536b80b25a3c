import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { KilledService } from './killed-service.ts'

const boxes = ['ann', 'ben', 'cat', 'dan', 'eve', 'flo']

let prepared: KilledService
before(async () => {
  prepared = await KilledService.prepare(
    boxes,
    ['First 1', 'Second 2', 'None 3', 'First 4'],
    [
      { name: 'One', field: 'subject', op: 'contains', value: 'first', action: 'star' },
      { name: 'Two', field: 'subject', op: 'contains', value: 'second', action: 'read' },
    ],
  )
})
after(() => prepared[Symbol.asyncDispose]())

async function statesIn(service: { readonly http: string }, box: string) {
  const messages = await prepared.messages(service, box)
  return Object.fromEntries(messages.map((one) => [one.subject, [one.starred, one.unread]]))
}

/** What the first change of the step notes before it is made, and after. */
const [noted, settled] = ['update filter_run_folders set plan', 'update filter_run_folders set uid_validity']
for (const [index, [where, statements, when]] of (
  [
    ['once a change is noted', [noted, 'commit'], 'after'],
    ['when a change is made and not counted', [noted, settled], 'before'],
    ['before a change is committed', [noted, settled, 'commit'], 'before'],
    ['after a change is committed', [noted, settled, 'commit'], 'after'],
  ] as const
).entries()) {
  test(`a run on a Dovecot is counted once although its process is killed ${where}`, async (t) => {
    const box = boxes[index] ?? ''
    const body = { mailboxes: [`${box}@run.test`] }
    const next = await prepared.killedWhile(t, { statements, when }, async (doomed) => {
      await prepared.ask(doomed, 'POST', '/v1/filters/runs', body)
    })
    const { state, total, seen, matched, changed, starred, read, change_id } = await prepared.ended(
      next,
      '/v1/filter-runs',
    )
    assert.deepEqual(
      { state, total, seen, matched, changed, starred, read },
      { state: 'done', total: 4, seen: 4, matched: 3, changed: 3, starred: 2, read: 1 },
    )
    assert.equal((await prepared.ask(next, 'GET', `/v1/changes/${change_id}`)).messages, 3)
    assert.deepEqual(await statesIn(next, box), {
      'First 1': [true, true],
      'Second 2': [false, false],
      'None 3': [false, true],
      'First 4': [true, true],
    })
    await prepared.ask(next, 'POST', `/v1/changes/${change_id}/undo`)
    const asBefore = (states: Awaited<ReturnType<typeof statesIn>>) =>
      Object.values(states).every(([is, unread]) => !is && unread)
    while (!asBefore(await statesIn(next, box))) await pause(100)
    await next.end('SIGTERM')
  })
}

const [recorded, undone] = ['insert into change_parts', 'undone_uids = undone_uids ||']
for (const [box, where, statements, when] of [
  // The change that is undone is recorded twice: before it is made, and after.
  ['eve', 'once a part is noted', [recorded, recorded, recorded], 'after'],
  ['flo', 'when a part is put back and not counted', [undone], 'before'],
] as const) {
  test(`an undo on a Dovecot counts each message once although its process is killed ${where}`, async (t) => {
    const next = await prepared.killedWhile(t, { statements, when }, async (doomed) => {
      const body = { uids: [1, 2, 3, 4], starred: true, unread: false }
      const change = await prepared.ask(doomed, 'PATCH', `/v1/messages?mailbox=${box}@run.test`, body)
      await prepared.ask(doomed, 'POST', `/v1/changes/${change.change_id}/undo`)
    })
    const undo = await prepared.ended(next, '/v1/changes')
    assert.deepEqual([undo.kind, undo.messages, undo.left_alone], ['undo', 4, 0])
    assert.deepEqual(new Set(Object.values(await statesIn(next, box)).map(String)), new Set(['false,true']))
    await next.end('SIGTERM')
  })
}
