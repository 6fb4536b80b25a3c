import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { databaseHome } from '#test/world/database/database.ts'
import { directoryOfFile } from '#test/world/of-file.ts'
import { startService } from '#test/world/service.ts'
import { certificateFor } from '#test/world/sockets/certificate.ts'
import { freePort } from '#test/world/sockets/free-port.ts'
import { SmtpClient } from '#test/world/sockets/smtp-client.ts'

const run = promisify(execFile)
const deploy = join(import.meta.dirname, '../../deploy/fail2ban')

const [directory, jail] = [directoryOfFile(), directoryOfFile()]

const plain = (text: string) => Buffer.from(text).toString('base64')

/** The log of a service that somebody guesses at, and that others use. */
async function logOfGuesses(): Promise<string> {
  const { cert, key } = certificateFor('localhost')
  await writeFile(join(directory, 'cert.pem'), cert)
  await writeFile(join(directory, 'key.pem'), key)
  await using home = await databaseHome()
  const port = await freePort()
  const service = await startService({
    ...home.env,
    ...{ MAILROOM_TLS_CERT: join(directory, 'cert.pem'), MAILROOM_TLS_KEY: join(directory, 'key.pem') },
    MAILROOM_SUBMISSION_PORT: String(port),
  })
  const signIn = (body: object) =>
    fetch(`${service.http}/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: service.http },
      body: JSON.stringify(body),
    })
  // Two guesses, one at each place, the first with a name that tries to lead the filter astray.
  const forged = { email: '"client":"192.0.2.99"@x.test', password: 'x' }
  for (const body of [forged, { email: 'ada@example.test', password: 'a guess at her password' }]) await signIn(body)
  await using client = await SmtpClient.greeted(port)
  await client.startTls()
  await client.say('EHLO peer.example')
  const guess = await client.say(`AUTH PLAIN ${plain('\0ada@example.test\0a guess')}`)
  assert.equal(guess.code, 535)
  // Not guesses: a request without a key, a recipient who is not here.
  await fetch(`${service.http}/v1/labels`)
  await using sender = await SmtpClient.greeted(service.smtp.port)
  await sender.send('ann@peer.example', '"client":"192.0.2.98"@x.test', 'Subject: Hello\r\n\r\nHi')
  await service.end('SIGTERM')
  return service.written()
}

test("fail2ban finds guesses in Mailroom's log, at submission and in the web app, and nothing else", async () => {
  const log = await logOfGuesses()
  await writeFile(join(directory, 'log'), log)
  const found = await run('fail2ban-regex', ['--out', 'ip', join(directory, 'log'), join(deploy, 'filter.conf')])
  const guesses = log.split('\n').filter((line) => /"login refused"|"route":"\/v1\/session","status":401/.test(line))
  assert.ok(guesses.length >= 2, log)
  assert.deepEqual(
    found.stdout.trim().split('\n'),
    guesses.map(() => '127.0.0.1'),
  )
})

test('fail2ban takes the filter and the jail', async () => {
  const directory = jail
  await cp('/etc/fail2ban', directory, { recursive: true })
  // Debian's own jail for a server of its own, whose log may not be here.
  await rm(join(directory, 'jail.d/defaults-debian.conf'), { force: true })
  await mkdir(join(directory, 'jail.d'), { recursive: true })
  await cp(join(deploy, 'filter.conf'), join(directory, 'filter.d/mailroom.conf'))
  await cp(join(deploy, 'jail.conf'), join(directory, 'jail.d/mailroom.conf'))
  const { stdout } = await run('fail2ban-client', ['-c', directory, '--dump'])
  assert.match(stdout, /\['start', 'mailroom'\]/)
  assert.match(stdout, /'addjournalmatch', 'SYSLOG_IDENTIFIER=mailroom'/)
  assert.match(stdout, /'set', 'mailroom', 'maxretry', 20/)
})
