import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { readConfig } from '#/app/config/config.ts'
import { testCertificate } from '#test/world/sockets/certificate.ts'
import type { Finding } from './finding.ts'
import { answersEverywhere, portFindings } from './ports.ts'

const configured = (env: Record<string, string>) => {
  return readConfig({ PORT: '0', MAILROOM_SMTP_PORT: '0', MAILROOM_IMAP_PORT: '0', ...env })
}

async function examine(env: Record<string, string>): Promise<Record<string, Finding>> {
  return Object.fromEntries((await portFindings(configured(env))).map((finding) => [finding.check, finding]))
}

async function listening(server: Server): Promise<AsyncDisposable & { port: string }> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const close = async () => {
    server.close()
    await once(server, 'close')
  }
  return { port: String(port), [Symbol.asyncDispose]: close }
}

const saying = (greeting: string) => (socket: Socket) => {
  socket.on('error', () => {}).resume()
  socket.end(greeting)
}
const greet = saying('220 mx.mailroom.test ESMTP\r\n')
const greetReaders = saying('* OK [CAPABILITY IMAP4rev1] mx.mailroom.test is ready\r\n')

test('free ports are ok', async () => {
  const [http, smtp] = [await listening(createServer()), await listening(createServer())]
  await http[Symbol.asyncDispose]()
  await smtp[Symbol.asyncDispose]()
  const found = await examine({ PORT: http.port, MAILROOM_SMTP_PORT: smtp.port })
  assert.match(found['HTTP port']?.found ?? '', /is free$/)
  assert.match(found['SMTP port']?.found ?? '', /is free$/)
})

test('ports on which Mailroom answers are ok; ports of other programs are not', async () => {
  const alive = createHttpServer((_request, response) => response.end('{"status":"alive"}'))
  await using http = await listening(alive)
  await using smtp = await listening(createServer(greet))
  const env = { PORT: http.port, MAILROOM_SMTP_PORT: smtp.port }
  const ours = await examine({ ...env, MAILROOM_HOSTNAME: 'mx.mailroom.test' })
  assert.deepEqual([ours['HTTP port']?.state, ours['SMTP port']?.state], ['ok', 'ok'])
  assert.match(ours['SMTP port']?.found ?? '', /^Mailroom answers on /)
  const others = await examine({ PORT: smtp.port, MAILROOM_SMTP_PORT: http.port })
  assert.deepEqual([others['HTTP port']?.state, others['SMTP port']?.state], ['problem', 'problem'])
  assert.match(others['HTTP port']?.fix ?? '', /^Stop it, or set PORT to another port$/)
  alive.closeAllConnections()
})

test('a process is healthy that answers wherever its roles listen', async () => {
  await using smtp = await listening(createServer(greet))
  const free = await listening(createServer())
  await free[Symbol.asyncDispose]()
  const env = { HOST: '0.0.0.0', MAILROOM_HOSTNAME: 'mx.mailroom.test', MAILROOM_SMTP_PORT: smtp.port, PORT: free.port }
  assert.equal(await answersEverywhere(configured({ ...env, MAILROOM_ROLES: 'mx,worker' })), true)
  assert.equal(await answersEverywhere(configured({ ...env, MAILROOM_ROLES: 'api,mx' })), false)
  assert.equal(await answersEverywhere(configured({ ...env, MAILROOM_HOSTNAME: 'other.test' })), false)
})

for (const [what, starttls, tls, hear] of [
  ['submission', 'MAILROOM_SUBMISSION_PORT', 'MAILROOM_SUBMISSION_TLS_PORT', greet],
  ['IMAP', 'MAILROOM_IMAP_PORT', 'MAILROOM_IMAPS_PORT', greetReaders],
] as const)
  test(`ports of ${what} are ok if Mailroom answers, and a problem if another program does`, async () => {
    await using plain = await listening(createServer(hear))
    await using secured = await listening(createTlsServer(testCertificate, hear))
    const env = { MAILROOM_TLS_CERT: 'cert.pem', MAILROOM_TLS_KEY: 'key.pem', MAILROOM_HOSTNAME: 'mx.mailroom.test' }
    const statesOf = async (ports: Record<string, string>) => {
      const found = await examine({ ...env, MAILROOM_IMAPS_PORT: '0', ...ports })
      return [found[`${what} port`], found[`${what} port (TLS)`]] as const
    }
    const well = await statesOf({ [starttls]: plain.port, [tls]: secured.port })
    assert.deepEqual([well[0]?.state, well[1]?.state], ['ok', 'ok'])
    assert.match(well[1]?.found ?? '', /^Mailroom answers on /)
    const wrong = await statesOf({ [starttls]: secured.port, [tls]: plain.port })
    assert.deepEqual([wrong[0]?.state, wrong[1]?.state], ['problem', 'problem'])
  })
