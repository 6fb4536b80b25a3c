import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { keepAtMost } from './kept.ts'

test('connections are kept for later up to a number, whichever servers they lead to', async () => {
  const server = createServer((_, response) => void response.end()).listen(0)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true })
  keepAtMost(agent, 2)
  const ask = async (host: string) => {
    const request = get({ host, port, agent })
    const [socket] = await once(request, 'socket')
    const [response] = await once(request, 'response')
    response.resume()
    // A connection that is not kept is closed.
    await Promise.race([once(socket, 'close'), once(agent, 'free').then(() => new Promise(setImmediate))])
    return request.reusedSocket
  }
  const asked: boolean[] = []
  for (const host of ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.3', '127.0.0.1', '127.0.0.2'])
    asked.push(await ask(host))
  agent.destroy()
  server.close()
  assert.deepEqual(asked, [false, false, false, false, true, true])
})
