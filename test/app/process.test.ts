// On both databases: a process starts, waits and ends with its connections.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { createTransport } from 'nodemailer'
import { type DatabaseHome, databaseHome } from '#test/world/database/database.ts'
import { subjectsAt } from '#test/world/letters/letter.ts'
import { type StoredOrganization, storeOrganization } from '#test/world/organization/stored-organization.ts'
import { type Service, startService } from '#test/world/service.ts'
import { HttpClient } from '#test/world/sockets/http-client.ts'
import { SmtpClient } from '#test/world/sockets/smtp-client.ts'

const address = 'ada@process.test'
let home: DatabaseHome
let organization: StoredOrganization
let service: Service

before(async () => {
  home = await databaseHome()
  organization = await storeOrganization(home, { domain: 'process.test', mailboxes: ['ada'] })
})
after(async () => {
  if (runs()) await service.end('SIGKILL')
  await home[Symbol.asyncDispose]()
})

/** A start takes seconds, so a service that a test leaves running serves the next one too. */
beforeEach(async () => {
  if (!runs()) service = await startService(home.env)
})

function runs(): boolean {
  return service?.process.exitCode === null && service.process.signalCode === null
}

async function request(method: string, path: string, body?: unknown) {
  return await new HttpClient(service.http).request(method, path, {
    key: organization.key,
    ...(body !== undefined && { body }),
  })
}

async function send(subject: string, text = 'Hello.'): Promise<void> {
  const transport = createTransport({ ...service.smtp, ignoreTLS: true })
  await transport.sendMail({ from: 'charles@engines.example', to: address, subject, text })
  transport.close()
}

test('SIGTERM: a message in DATA and a current request are finished, and the exit code is 0', async () => {
  await using client = await SmtpClient.greeted(service.smtp.port)
  assert.equal((await client.begin('charles@engines.example', address)).code, 354)
  client.write('From: charles@engines.example\r\nSubject: in hand\r\n\r\nHalf of')
  await using idle = await SmtpClient.greeted(service.smtp.port)
  const ended = service.end('SIGTERM')
  assert.match(await idle.rest(), /^421 4\.3\.2 /)
  // What is sent to a whole group of processes comes from npm too.
  service.process.kill('SIGTERM')
  client.write(' it.\r\n.\r\n')
  assert.equal((await client.reply()).code, 250)
  assert.deepEqual(await ended, { code: 0, signal: null })

  service = await startService(home.env)
  assert.ok((await subjectsAt(service, organization)).includes('in hand'))
})

test('the log holds no key, and nothing that a message says', async () => {
  const secret = 'the-treasure-is-under-the-oak'
  await send(`Subject ${secret}`, `Text ${secret}`)
  const { headers } = await request('GET', `/v1/labels?key=${organization.key}`)
  const id = headers.get('x-request-id') ?? ''
  assert.match(id, /^req_/)
  await request('GET', `/v1/labels/${organization.key}`)
  await request('PATCH', `/v1/labels/${organization.key}`, { name: secret })
  await request('POST', '/v1/filters/test', { message: `Subject: ${secret}\r\n\r\n${secret}` })
  await request('POST', '/v1/labels', `{"name": "${secret}`)
  await new HttpClient(service.http).request('GET', '/v1/labels', { key: `${organization.key}x` })
  await using client = await SmtpClient.greeted(service.smtp.port)
  await client.say(`AUTH PLAIN ${Buffer.from(`\0ada\0${secret}`).toString('base64')}`)
  await client.say(`NONSENSE ${secret}`)
  assert.deepEqual(await service.end('SIGTERM'), { code: 0, signal: null })
  const log = service.written()
  assert.match(log, /"msg":"request"/)
  assert.match(log, /"msg":"message stored"/)
  assert.ok(!log.includes(secret) && !log.includes(Buffer.from(`\0ada\0${secret}`).toString('base64')), log)
  assert.ok(!log.includes(organization.key.slice(8, -4)), log)
  const lines = log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  // The line of a request has its id once.
  const ofRequest = log.split('\n').filter((line) => line.includes(id))
  assert.deepEqual([ofRequest.length, ofRequest[0]?.split(id).length], [1, 2])
  assert.ok(lines.some(({ request_id }) => request_id === id))
})

test('a data directory that is in use is waited for', async () => {
  const other = startService(home.env)
  await service.end('SIGTERM')
  service = await other
  assert.equal((await request('GET', '/v1/usage')).status, 200)
})
