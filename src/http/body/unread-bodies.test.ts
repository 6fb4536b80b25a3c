import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import fastify from 'fastify'
import type { App } from '../app-type.ts'
import { discardUnreadBodies } from './unread-bodies.ts'

test('a client that disconnects during an unread body leaves nothing behind', async () => {
  await using app = fastify()
  discardUnreadBodies(app as unknown as App)
  const come = Promise.withResolvers<IncomingMessage>()
  app.addHook('onRequest', async ({ raw }) => {
    come.resolve(raw)
    throw new Error('no key')
  })
  app.post('/', () => {})
  await app.listen({ port: 0, host: '127.0.0.1' })
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  client.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{')
  const raw = await come.promise
  raw.on('error', () => {})
  await once(client, 'data')
  assert.equal(raw.listenerCount('data'), 1)
  const closed = new Promise((gone) => raw.once('close', gone))
  client.destroy()
  await closed
  await setImmediate()
  assert.equal(raw.listenerCount('data'), 0)
})
