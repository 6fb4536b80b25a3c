import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { readConfig } from '#/app/config/config.ts'
import { freePort } from '#test/world/sockets/free-port.ts'
import { singleSignOnFinding } from './single-sign-on.ts'

const server = createServer((request, response) => {
  const [, realm] = (request.url ?? '').split('/')
  const issuers: Record<string, string> = { ours: `${base}/ours`, slash: `${base}/slash/`, other: 'https://id.example' }
  const issuer = issuers[realm ?? '']
  if (realm === 'text') response.end('Welcome')
  else if (issuer === undefined) response.writeHead(404).end()
  else response.end(JSON.stringify({ issuer }))
})
await once(server.listen(0, '127.0.0.1'), 'listening')
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
after(() => server.close())

const findingsOf = (issuer: string) =>
  singleSignOnFinding(readConfig({ MAILROOM_OIDC_ISSUER: issuer, MAILROOM_OIDC_CLIENT_ID: 'mailroom' }))

for (const [realm, state, found] of [
  ['ours', 'ok', / answers$/],
  ['slash/', 'ok', / answers$/],
  ['slash', 'problem', /of another issuer/],
  ['other', 'problem', /of another issuer/],
  ['text', 'problem', /JSON|token/],
  ['none', 'problem', /answers 404$/],
] as const)
  test(`of a provider at /${realm} the doctor finds: ${state}`, async () => {
    const [finding] = await findingsOf(`${base}/${realm}`)
    assert.equal(finding?.state, state)
    assert.match(finding?.found ?? '', found)
  })

test('a provider that is away is a problem, and none is no finding', async () => {
  const [finding] = await findingsOf(`http://127.0.0.1:${await freePort()}`)
  assert.deepEqual([finding?.state, finding?.found.endsWith('ECONNREFUSED')], ['problem', true])
  assert.deepEqual(await singleSignOnFinding(readConfig({})), [])
})
