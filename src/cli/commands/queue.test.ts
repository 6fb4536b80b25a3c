import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { byOperator } from '#/audit/actor.ts'
import { createOrganization } from '#/organizations/register.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
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
  await database.db
    .insertInto('outbound_messages')
    .values({
      ...{ id, organization_id: organizationId, mailbox_id: null, kind: 'sent', sender: 'ada@here.example' },
      ...{ smtp_utf8: false, eight_bit: false, size_bytes: 1 },
      ...{ created_at: at, queued_at: at },
    })
    .execute()
  await database.db
    .insertInto('outbound_recipients')
    .values(
      recipients.map(({ to, state }) => ({
        ...{ message_id: id, organization_id: organizationId, recipient: to, route: 'there.example', due_at: at },
        ...{ reason: 'It asks to wait', reply: '451 Later', host: 'mx.there.example', attempts: 2 },
        ...(state && { state, leased_until: at }),
      })),
    )
    .execute()
  return id
}

test('the queue shows recipients, the reason and the next attempt', async () => {
  assert.equal((await run('queue')).stdout, 'The outbound queue is empty.\n')
  const id = await waiting({ to: 'bob@there.example' })
  const { data, total } = await printed(operatorOn({ database }), 'queue')
  assert.deepEqual(
    [total, data],
    [
      1,
      [
        {
          ...{ id, organization: 'Here', from: 'ada@here.example', to: 'bob@there.example' },
          ...{ since: '2026-11-21T07:44:33.000Z', state: 'waiting', attempts: 2 },
          ...{ next_attempt_at: '2026-11-21T07:44:33.000Z', gives_up_at: '2026-11-26T07:44:33.000Z' },
          ...{ reason: 'It asks to wait', reply: '451 Later', host: 'mx.there.example' },
        },
      ],
    ],
  )
  const { stdout } = await run('queue')
  for (const shown of ['bob@there.example', '2026-11-21 07:44', 'It asks to wait (451 Later)', id])
    assert.ok(stdout.includes(shown), shown)
})

test('a deferred message becomes due on request; one that is being sent does not change', async () => {
  const id = await waiting({ to: 'bob@there.example' }, { to: 'cy@there.example', state: 'sending' })
  assert.equal((await run('queue', 'retry', id)).stdout, 'Due at once, for 1 recipient.\n')
  const rows = await database.db
    .selectFrom('outbound_recipients')
    .select(['recipient', 'due_at'])
    .where('message_id', '=', id)
    .orderBy('id')
    .execute()
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
  assert.equal(
    (await run('queue', 'retry', '--all', '--to', '@other.example')).stdout,
    'Due at once, for 1 recipient.\n',
  )
  assert.equal((await run('queue', 'retry', '--all')).stdout, 'Due at once, for 1 recipient.\n')
  const due = await database.db
    .selectFrom('outbound_recipients')
    .select('recipient')
    .where('due_at', '<', later)
    .execute()
  assert.deepEqual(due.map(({ recipient }) => recipient).sort(), ['bob@there.example', 'eve@other.example'])
  await database.db.deleteFrom('outbound_messages').execute()
})

test('a dropped message is deleted with its last recipient', async () => {
  const id = await waiting({ to: 'bob@there.example' }, { to: 'cy@there.example', state: 'sending' })
  assert.equal((await run('queue', 'drop', id)).stdout, 'Dropped for bob@there.example.\n')
  assert.equal((await run('queue', 'drop', id)).stdout, 'It is being sent at this moment.\n')
  await database.db
    .updateTable('outbound_recipients')
    .set({ state: 'waiting', leased_until: null })
    .where('message_id', '=', id)
    .execute()
  assert.equal((await run('queue', 'drop', id)).stdout, 'Dropped for cy@there.example.\n')
  assert.deepEqual(await run('queue', 'drop', id), {
    ...{ exitCode: 1, stdout: '' },
    stderr: 'mailroom: No such message in the queue\n',
  })
})

test('an invalid id is refused', async () => {
  for (const verb of ['retry', 'drop']) assert.equal((await run('queue', verb, 'first')).exitCode, 1)
})
