import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { type ClientRequest, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import fastify, { type FastifyReply } from 'fastify'
import { answerError } from './answer-errors.ts'
import { AnswerMemory } from './answer-memory.ts'

const MiB = 1 << 20

/** A server whose requests name their organization, what they reserve and the size of their answer; and clients that read nothing
 *  until they are told to. */
async function serving() {
  const memory = new AnswerMemory()
  const app = fastify()
  app.setErrorHandler(answerError)
  app.decorateRequest('organizationId', '')
  app.decorateRequest('actorId', '')
  app.decorateRequest('clientAddress', '')
  app.addHook('onRequest', async (request) => {
    request.organizationId = String(request.headers.organization ?? '')
  })
  memory.watch(app as never)
  const made: FastifyReply[] = []
  const making = new EventEmitter()
  let asked = 0
  app.get<{ Querystring: { reserved?: string; size: string } }>('/', async ({ query }, reply) => {
    making.emit(`asked ${++asked}`)
    if (query.reserved) await memory.reserve(reply, Number(query.reserved) * MiB)
    making.emit(String(made.push(reply)))
    return reply.send(Buffer.alloc(Number(query.size)))
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const clients: ClientRequest[] = []
  return {
    app,
    made,
    memory,
    /** Resolves once so many answers are made. */
    async makes(count: number): Promise<void> {
      if (made.length < count) await once(making, String(count))
    },
    /** Resolves once so many have been asked for. */
    async isAsked(count: number): Promise<void> {
      if (asked < count) await once(making, `asked ${count}`)
    },
    ask(organization: string, query: string): ClientRequest {
      const client = get({ port, host: '127.0.0.1', agent: false, path: `/?${query}`, headers: { organization } })
      clients.push(client.on('error', () => {}))
      return client
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.destroy()
      await app.close()
    },
  }
}

test('answers that nobody reads take no more memory than there is, an organization half of it, and others get theirs', async () => {
  await using on = await serving()
  for (let count = 0; count < 9; count++) on.ask('one', `reserved=32&size=${8 * MiB}`)
  await on.makes(3)
  const other = on.ask('other', 'size=1000000')
  const [response] = await once(other, 'response')
  assert.equal(response.headers['content-length'], '1000000')
  let octets = 0
  for await (const piece of response) octets += piece.length
  assert.equal(octets, 1_000_000)
})

test('what an answer does not take is free once it is made, and all of it once it is read or its client has gone', async () => {
  await using on = await serving()
  const first = on.ask('one', `reserved=250&size=${250 * MiB}`)
  await on.makes(1)
  const second = on.ask('other', `reserved=250&size=${100 * MiB}`)
  const third = on.ask('third', `reserved=150&size=${150 * MiB}`)
  const answered = once(second, 'response')
  await on.isAsked(3)
  await turn()
  assert.equal(on.made.length, 1)
  first.destroy()
  await on.makes(3)
  third.destroy()
  const [response] = await answered
  response.resume()
  await once(response, 'end')
})

test('a client that does not read its answer is disconnected after a minute, and more for what is larger', async (t) => {
  await using on = await serving()
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const client = on.ask('one', `size=${50 * MiB}`)
  await once(client, 'response')
  const [{ raw }] = on.made as [FastifyReply]
  t.mock.timers.tick(60_000 + 200 * 1_000 - 1)
  assert.equal(raw.destroyed, false)
  t.mock.timers.tick(1)
  assert.equal(raw.destroyed, true)
})

test('a small answer takes no part and has no time of its own', async () => {
  await using on = await serving()
  on.ask('one', `reserved=256&size=${200 * MiB}`)
  await on.makes(1)
  const [response] = await once(on.ask('other', 'size=60000'), 'response')
  assert.equal(response.statusCode, 200)
})
