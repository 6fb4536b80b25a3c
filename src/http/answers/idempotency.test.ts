// On both databases: repeated requests wait for each other.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify, { type FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { byOperator } from '#/base/audit/actor.ts'
import type { Db } from '#/base/db/schema.ts'
import { invalid, Refusal } from '#/base/errors.ts'
import { sealingKey } from '#/base/secrets/seal.ts'
import { createOrganization } from '#/people/organizations/register.ts'
import { databaseOfFile } from '#test/world/database/database.ts'
import { keyring } from '#test/world/installation.ts'
import { afterFile } from '#test/world/of-file.ts'
import { Caller } from '../access/caller.ts'
import { newRequestId } from '../connections/malformed-requests.ts'
import { answerError } from './answer-errors.ts'
import { AnswerMemory } from './answer-memory.ts'
import { answerClaimed, answerIn, noteProgress, progressOf } from './claimed-key.ts'
import { answerOnce, created } from './idempotency.ts'
import { repeatChanges } from './repeatable.ts'

const database = await databaseOfFile()
const organizationId = (await createOrganization(database.db, { name: 'Once', plan: 'free' }, byOperator)).id

/** A process on the database, which does `work` for each POST, or what `work` throws. */
async function process(db: Db, work: (request: FastifyRequest) => object | Promise<object>): Promise<string> {
  const app = fastify({ genReqId: newRequestId })
  app.decorate('answersKey', sealingKey(keyring, 'kept answers'))
  app.decorateRequest('caller')
  app.decorateRequest('organizationId', '')
  app.decorateRequest('actorId', '')
  app.decorateRequest('fingerprint', null)
  app.setErrorHandler(answerError)
  new AnswerMemory().watch(app as never)
  repeatChanges(app as never, db)
  app.addHook('onRequest', async (request) => {
    request.caller = Caller.unrestricted(organizationId)
    request.organizationId = organizationId
    request.actorId = String(request.headers['x-key'] ?? 'one')
  })
  app.post('/things', (request, reply) =>
    answerOnce(db, request, reply, async () => created('/things/1', await work(request), 'secret')),
  )
  app.post('/fetched', (request, reply) =>
    answerClaimed(db, request, reply, async () => created('/fetched/1', await work(request))),
  )
  await app.listen({ host: '127.0.0.1', port: 0 })
  afterFile(() => app.close())
  return app.listeningOrigin
}

/** The same database for a process that is overtaken between the end of its transaction and what it does next. */
function overtaken(db: Db, overtake: () => Promise<unknown>): Db {
  const transaction = () => ({
    execute: async (work: Parameters<ReturnType<Db['transaction']>['execute']>[0]) => {
      try {
        return await db.transaction().execute(work)
      } finally {
        await overtake()
      }
    },
  })
  return new Proxy(db, {
    get(target, name) {
      if (name === 'transaction') return transaction
      const value = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

function refuse(): never {
  throw invalid('name', 'It is taken')
}

async function post(base: string, key: string, headers: Record<string, string> = {}, path = '/things') {
  const response = await fetch(`${base}${path}`, { method: 'POST', headers: { 'idempotency-key': key, ...headers } })
  const replayed = response.headers.get('idempotency-replayed')
  return { status: response.status, replayed, body: (await response.json()) as { error?: { code: string } } }
}

const fetched = (base: string, key: string) => post(base, key, {}, '/fetched')

test('a refusal of one process does not replace the answer that another has stored since', async () => {
  const doing = await process(database.db, () => ({ made: 'by the other' }))
  const done = await post(doing, 'overtaken')
  assert.equal(done.status, 201)
  const { db } = database
  const known = db.deleteFrom('idempotency_keys').where('key', '=', 'overtaken').returningAll()
  const kept = await known.executeTakeFirstOrThrow()
  const overtake = () => db.insertInto('idempotency_keys').values(kept).execute()
  const refusing = await process(overtaken(db, overtake), refuse)
  assert.equal((await post(refusing, 'overtaken')).status, 400)
  const again = await post(doing, 'overtaken')
  assert.deepEqual([again.status, again.body, again.replayed], [201, done.body, 'true'])
})

test('it replaces an expired answer', async () => {
  const doing = await process(database.db, () => ({ made: 'long ago' }))
  await post(doing, 'old')
  await sql`update idempotency_keys set created_at = now() - interval '24 hours' where key = 'old'`.execute(database.db)
  assert.equal((await post(await process(database.db, refuse), 'old')).status, 400)
  const again = await post(doing, 'old')
  assert.deepEqual([again.status, again.replayed], [400, 'true'])
})

for (const path of ['/things', '/fetched'])
  test(`${path} sends a large answer, which waits for memory after its handler has ended, once and whole`, async () => {
    const text = 'x'.repeat(100_000)
    const app = await process(database.db, () => ({ text }))
    for (const replayed of [null, 'true'])
      assert.deepEqual(await post(app, path, {}, path), { status: 201, replayed, body: { text } })
  })

test('an answer that was kept shows its secret to the key that asked, and to no other', async () => {
  const app = await process(database.db, () => ({ id: 1, secret: 'open sesame' }))
  const first = await post(app, 'secret')
  assert.deepEqual(first.body, { id: 1, secret: 'open sesame' })
  assert.deepEqual((await post(app, 'secret')).body, { id: 1, secret: 'open sesame' })
  assert.deepEqual((await post(app, 'secret', { 'x-key': 'two' })).body, { id: 1 })
})

test('a conflict is no answer to keep: it passes, and then the same request is done', async () => {
  let held = true
  const app = await process(database.db, () => {
    if (held) throw new Refusal('conflict', 'Somebody else is changing it')
    return { made: 'later' }
  })
  assert.equal((await post(app, 'conflict')).status, 409)
  held = false
  const again = await post(app, 'conflict')
  assert.deepEqual([again.status, again.replayed], [201, null])
})

test('what waits for another server is done once, and again only after a refusal that is not kept', async () => {
  let done = 0
  let held = false
  const app = await process(database.db, () => {
    done++
    if (held) throw new Refusal('conflict', 'Somebody else is changing it')
    return { done }
  })
  const ask = () => fetched(app, 'fetched')
  held = true
  assert.equal((await ask()).status, 409)
  held = false
  const first = await ask()
  assert.deepEqual([first.status, first.replayed, first.body], [201, null, { done: 2 }])
  const again = await ask()
  assert.deepEqual([again.status, again.replayed, again.body, done], [201, 'true', first.body, 2])
})

/** Work that is a step, after which a process of its own stays away until it is let go on: with its answer, or to die. */
class Suspended {
  readonly reached = Promise.withResolvers<void>()
  readonly mayContinue = Promise.withResolvers<void>()

  readonly step = async (request: FastifyRequest) => {
    await noteProgress(database.db, request, { step: 1 })
    this.reached.resolve()
    await this.mayContinue.promise
    return { by: 'the first' }
  }
}

const endClaims = sql`update idempotency_keys set claimed_until = clock_timestamp() where claimed_until is not null`

test('while the first request runs, its repetition is told so in every process, and another request that the key is used', async () => {
  const first = new Suspended()
  const answer = fetched(await process(database.db, first.step), 'two at once')
  await first.reached.promise
  const other = await process(database.db, () => assert.fail('it is done once'))
  const again = await fetched(other, 'two at once')
  assert.deepEqual([again.status, again.body.error?.code], [409, 'conflict'])
  assert.equal((await post(other, 'two at once')).status, 400)
  first.mayContinue.resolve()
  const done = await answer
  assert.deepEqual([done.status, done.replayed, done.body], [201, null, { by: 'the first' }])
  const later = await fetched(other, 'two at once')
  assert.deepEqual([later.replayed, later.body], ['true', { by: 'the first' }])
})

test('what a process left its repetition goes on with in another, and what the first does late has no effect', async () => {
  const first = new Suspended()
  const late = fetched(await process(database.db, first.step), 'left')
  await first.reached.promise
  await endClaims.execute(database.db)
  const other = await process(database.db, (request) => ({ after: progressOf(request) }))
  const again = await fetched(other, 'left')
  assert.deepEqual([again.status, again.replayed, again.body], [201, null, { after: { step: 1 } }])
  first.mayContinue.resolve()
  assert.equal((await late).status, 409)
  assert.deepEqual((await fetched(other, 'left')).body, again.body)
})

test('a change whose claim was lost is rolled back', async () => {
  const change = (request: FastifyRequest) =>
    database.db.transaction().execute(async (tx) => {
      await tx.updateTable('organizations').set({ name: 'Twice' }).where('id', '=', organizationId).execute()
      await sql`update idempotency_keys set claim = gen_random_uuid() where key = 'lost'`.execute(tx)
      await answerIn(tx, request, created('/fetched/1', {}))
      return {}
    })
  assert.equal((await fetched(await process(database.db, change), 'lost')).status, 409)
  const ours = database.db.selectFrom('organizations').select('name').where('id', '=', organizationId)
  assert.equal((await ours.executeTakeFirstOrThrow()).name, 'Once')
})
