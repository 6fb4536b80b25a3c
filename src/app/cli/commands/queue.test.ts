import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { byOperator } from '#/base/audit/actor.ts'
import { createOrganization } from '#/people/organizations/register.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { each } from '#test/world/each.ts'
import { operatorOn, printed } from '#test/world/operator.ts'
import { runCommand } from '../run.ts'

const database = await databaseOfFile()
const organizationId = (await createOrganization(database.db, { name: 'Here', plan: 'team' }, byOperator)).id

function run(...argv: string[]) {
  return runCommand(argv, operatorOn({ database }))
}

async function waiting(...recipients: { to: string; state?: 'sending' }[]): Promise<string> {
  const id = randomUUID()
  const at = new Date('2026-11-21T07:44:33Z')
  const message = {
    ...{ id, organization_id: organizationId, mailbox_id: null, kind: 'sent' as const, sender: 'ada@here.example' },
    ...{ smtp_utf8: false, eight_bit: false, size_bytes: 1, created_at: at, queued_at: at },
  }
  await database.db.insertInto('outbound_messages').values(message).execute()
  const rows = recipients.map(({ to, state }) => ({
    ...{ message_id: id, organization_id: organizationId, recipient: to, route: 'there.example', due_at: at },
    ...{ reason: 'It asks to wait', reply: '451 Later', host: 'mx.there.example', attempts: 2 },
    ...(state && { state, leased_until: at }),
  }))
  await database.db.insertInto('outbound_recipients').values(rows).execute()
  return id
}

test('the queue shows recipients, the reason and the next attempt', async () => {
  assert.equal((await run('queue')).stdout, 'The outbound queue is empty.\n')
  const id = await waiting({ to: 'bob@there.example' })
  const { data, total } = await printed(operatorOn({ database }), 'queue')
  const shownAs = {
    ...{ id, organization: 'Here', from: 'ada@here.example', to: 'bob@there.example' },
    ...{ since: '2026-11-21T07:44:33.000Z', state: 'waiting', attempts: 2 },
    ...{ next_attempt_at: '2026-11-21T07:44:33.000Z', gives_up_at: '2026-11-26T07:44:33.000Z' },
    ...{ reason: 'It asks to wait', reply: '451 Later', host: 'mx.there.example' },
  }
  assert.deepEqual([total, data], [1, [shownAs]])
  const { stdout } = await run('queue')
  for (const shown of ['bob@there.example', '2026-11-21 07:44', 'It asks to wait (451 Later)', id])
    assert.ok(stdout.includes(shown), shown)
})

test('a deferred message becomes due on request; one that is being sent does not change', async () => {
  const id = await waiting({ to: 'bob@there.example' }, { to: 'cy@there.example', state: 'sending' })
  assert.equal((await run('queue', 'retry', id)).stdout, 'Due at once, for 1 recipient.\n')
  const of = database.db.selectFrom('outbound_recipients').select('due_at').where('message_id', '=', id)
  const rows = await of.orderBy('id').execute()
  const [bob, cy] = rows.map(({ due_at }) => due_at.getTime())
  assert.ok(Number(bob) > Date.now() - 60_000)
  assert.equal(cy, Date.parse('2026-11-21T07:44:33Z'))
})

for (const [what, options, found] of [
  ['all', [], 2],
  ['an organization', ['--org', 'Here'], 2],
  ['a recipient', ['--to', 'BOB@there.example'], 1],
  ['a domain of recipients', ['--to', '@there.example'], 2],
  ['no domain that only ends so', ['--to', '@e.example'], 0],
  ['a sender', ['--from', 'ada@here.example'], 2],
  ['another sender', ['--from', 'eve@here.example'], 0],
  ['a state', ['--state', 'sending'], 1],
  ['several of these', ['--to', '@there.example', '--state', 'waiting'], 1],
] as const)
  test(`the queue of ${what} is listed and counted`, async () => {
    await database.db.deleteFrom('outbound_messages').execute()
    await waiting({ to: 'bob@there.example' }, { to: 'cy@there.example', state: 'sending' })
    const { data, total, counts } = await printed(operatorOn({ database }), 'queue', ...options)
    assert.deepEqual([data.length, total], [found, found])
    const oldest = '2026-11-21T07:44:33.000Z'
    for (const one of counts)
      assert.deepEqual(one, { destination: 'there.example', state: one.state, recipients: 1, oldest })
  })

test('an unknown state is refused, and an unknown organization', async () => {
  assert.match((await run('queue', '--state', 'late')).stderr, /--state takes waiting, sending, suspect/)
  assert.equal((await run('queue', '--org', 'Nobody')).exitCode, 1)
})

test('everything that waits becomes due on request, or what the options name', async () => {
  await database.db.deleteFrom('outbound_messages').execute()
  await waiting({ to: 'bob@there.example' }, { to: 'cy@there.example', state: 'sending' })
  await waiting({ to: 'eve@other.example' })
  const later = new Date(Date.now() + 3_600_000)
  await database.db.updateTable('outbound_recipients').set({ due_at: later }).execute()
  for (const options of [['--to', '@other.example'], []])
    assert.equal((await run('queue', 'retry', '--all', ...options)).stdout, 'Due at once, for 1 recipient.\n')
  const all = database.db.selectFrom('outbound_recipients').select('recipient').orderBy('recipient')
  const due = await all.where('due_at', '<', later).execute()
  assert.deepEqual(each(due, 'recipient'), ['bob@there.example', 'eve@other.example'])
  await database.db.deleteFrom('outbound_messages').execute()
})

test('a dropped message is deleted with its last recipient', async () => {
  const id = await waiting({ to: 'bob@there.example' }, { to: 'cy@there.example', state: 'sending' })
  assert.equal((await run('queue', 'drop', id)).stdout, 'Dropped for bob@there.example.\n')
  assert.equal((await run('queue', 'drop', id)).stdout, 'It is being sent at this moment.\n')
  const free = database.db.updateTable('outbound_recipients').set({ state: 'waiting', leased_until: null })
  await free.where('message_id', '=', id).execute()
  assert.equal((await run('queue', 'drop', id)).stdout, 'Dropped for cy@there.example.\n')
  const gone = await run('queue', 'drop', id)
  assert.deepEqual([gone.exitCode, gone.stderr], [1, 'mailroom: No such message in the queue\n'])
})

test('an invalid id is refused', async () => {
  for (const verb of ['retry', 'drop']) assert.equal((await run('queue', verb, 'first')).exitCode, 1)
})
