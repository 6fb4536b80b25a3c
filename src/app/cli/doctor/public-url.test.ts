import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { readConfig } from '#/app/config/config.ts'
import { freePort } from '#test/world/sockets/free-port.ts'
import { publicUrlFindings } from './public-url.ts'

const look = (env: Record<string, string>) => publicUrlFindings(readConfig(env))

/** What is found where something answers so at the public URL. */
async function lookAt(answer: (url: string) => RequestListener) {
  const server = createServer((request, response) => answer(url)(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const [found, ...more] = await look({ MAILROOM_PUBLIC_URL: url })
  server.close().closeAllConnections()
  assert.deepEqual(more, [])
  return { url, ...found }
}

const described = (url: string, more = {}) => {
  return JSON.stringify({ info: { title: 'Mailroom' }, servers: [{ url, ...more }] })
}
const none = described('https://mail.example.com', { description: 'Where this description came from' })

test('a public URL that is not set is not looked at', async () =>
  assert.deepEqual(await look({ MAILROOM_TRUSTED_PROXIES: 'loopback' }), []))

test('a public URL is well at which a Mailroom answers that has the same', async () => {
  const { state, found, url } = await lookAt((url) => ({ url: path }, response) => {
    response.end(path === '/v1/openapi.json' ? described(url) : '')
  })
  assert.deepEqual([state, found], ['ok', `Mailroom answers at ${url}`])
})

for (const [what, answer, words] of [
  ['with another public URL', described('https://other.example'), /whose own public URL is https:\/\/other\.example$/],
  ['with none', none, /whose own public URL is not set$/],
  ['that is another service', '{"info": {"title": "Shop"}, "servers": [{"url": "/"}]}', /not as Mailroom does$/],
  ['that speaks no JSON', 'welcome', /answers with status 200, not as Mailroom does$/],
  ['that says something else', 'null', /not as Mailroom does$/],
] as const)
  test(`what answers at a public URL, ${what}, is worth a warning`, async () => {
    const { state, found = '' } = await lookAt(() => (_request, response) => void response.end(answer))
    assert.equal(state, 'warning')
    assert.match(found, words)
  })

test('so is a proxy that finds nothing behind it, and one that redirects', async () => {
  const away = await lookAt(() => (_request, response) => void response.writeHead(502).end())
  assert.match(away.found ?? '', /answers with status 502/)
  const moved = await lookAt(() => (_request, response) => {
    response.writeHead(301, { location: 'https://mail.example.com/' }).end()
  })
  assert.deepEqual([moved.state, moved.found], ['warning', `${moved.url} redirects to https://mail.example.com/`])
})

test('so is a public URL at which nothing answers', async () => {
  const [found] = await look({ MAILROOM_PUBLIC_URL: `http://localhost:${await freePort()}` })
  assert.equal(found?.state, 'warning')
  assert.match(found?.found ?? '', /cannot be reached from here: ECONNREFUSED$/)
})

test('so is plain HTTP at any other machine, which is not sent anything', async () => {
  const [found, ...more] = await look({ MAILROOM_PUBLIC_URL: 'http://mail.example.com' })
  assert.deepEqual([found?.state, more], ['warning', []])
  assert.match(found?.found ?? '', /has no TLS: keys and mail can be read/)
})

test('behind https there is a proxy, which is to be trusted', async () => {
  const env = { MAILROOM_PUBLIC_URL: `https://127.0.0.1:${await freePort()}` }
  const checks = async (more: Record<string, string>) => (await look({ ...env, ...more })).map(({ check }) => check)
  assert.deepEqual(await checks({}), ['public URL', 'trusted proxies'])
  assert.deepEqual(await checks({ MAILROOM_TRUSTED_PROXIES: 'loopback' }), ['public URL'])
  assert.deepEqual(await checks({ MAILROOM_ROLES: 'mx' }), ['public URL'])
})
