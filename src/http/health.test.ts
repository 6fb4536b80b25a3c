import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import fastify from 'fastify'
import type { App } from './app-type.ts'
import { healthRoutes } from './health.ts'

test('a part that is told beside them does not make a program unready', async () => {
  await using app = fastify()
  const away = () => Promise.reject(new Error('away'))
  healthRoutes(app as unknown as App, { database: async () => {} }, { dns: away })
  const { statusCode, body } = await app.inject('/readyz')
  assert.deepEqual([statusCode, JSON.parse(body)], [200, { status: 'ready', database: 'ok', dns: 'unavailable' }])
})

const never = () => new Promise(() => {})

const unavailable = { status: 'unavailable', database: 'ok', mail_host: 'unavailable' }
for (const [what, db, after, expected] of [
  ['answers', async () => {}, 0, [200, { status: 'ready', database: 'ok', mail_host: 'ok' }]],
  ['fails', () => Promise.reject(new Error('away')), 0, [503, unavailable]],
  ['is silent two seconds', never, 2_000, [503, unavailable]],
] as const)
  test(`a program whose mail host ${what} says so`, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    await using app = fastify()
    const asked = Promise.withResolvers<void>()
    const mail_host = () => {
      asked.resolve()
      return db()
    }
    healthRoutes(app as unknown as App, { database: async () => {}, mail_host })
    const answer = app.inject('/readyz')
    await asked.promise
    await setImmediate()
    t.mock.timers.tick(after)
    const { statusCode, body } = await answer
    assert.deepEqual([statusCode, JSON.parse(body)], expected)
  })
