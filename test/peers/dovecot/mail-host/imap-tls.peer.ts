import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { promisify } from 'node:util'
import { CommandRefused, ConnectionLost } from '#/adapters/mail-host/imap/client/errors.ts'
import { ImapSession } from '#/adapters/mail-host/imap/client/session.ts'
import type { ImapServer } from '#/ports/servers.ts'
import { DovecotServer } from '#test/peers/dovecot/imap-server.ts'
import { tap } from '#test/peers/dovecot/tap.ts'
import { freePort } from '#test/sockets/free-port.ts'
import { databaseHome } from '#test/world/database/database.ts'
import { mailroom } from '#test/world/service.ts'

const run = promisify(execFile)
const usual = getCACertificates('default')

let directory: string
let ca: string
let dovecot: DovecotServer
let imaps: number
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'mailroom-tls-'))
  ca = await authority()
  imaps = await freePort()
  dovecot = await DovecotServer.start(`
    ssl = yes
    ssl_cert = <${directory}/server.pem
    ssl_key = <${directory}/server.key
    service imap-login {
      inet_listener imaps {
        port = ${imaps}
        ssl = yes
      }
    }
  `)
})
after(async () => {
  await dovecot?.[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

/** An authority of our own, and a certificate of it for `localhost`. */
async function authority(): Promise<string> {
  const openssl = (command: string) => run('openssl', command.split(' '), { cwd: directory })
  const key = '-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes'
  await openssl(`req -x509 ${key} -keyout ca.key -out ca.pem -subj /CN=Authority -days 2`)
  await openssl(`req ${key} -keyout server.key -out server.csr -subj /CN=localhost`)
  await writeFile(join(directory, 'names'), 'subjectAltName=DNS:localhost\n')
  await openssl('x509 -req -in server.csr -CA ca.pem -CAkey ca.key -out server.pem -days 2 -extfile names')
  return readFile(join(directory, 'ca.pem'), 'utf8')
}

/** The result of opening a session: `open`, or the error. */
async function outcome(change: Partial<ImapServer>, trusted = [ca]): Promise<string> {
  setDefaultCACertificates([...usual, ...trusted])
  try {
    const session = await ImapSession.open({ ...dovecot.server, host: 'localhost', ...change }, 'ada')
    assert.ok(await session.select('INBOX'))
    session.connection.close()
    return 'open'
  } catch (error) {
    assert.ok(error instanceof ConnectionLost || error instanceof CommandRefused)
    return error.message
  } finally {
    setDefaultCACertificates(usual)
  }
}

for (const [what, tls] of [
  ['from the start', 'implicit'],
  ['by STARTTLS', 'required'],
] as const) {
  const at = () => ({ tls, ...(tls === 'implicit' && { port: imaps }) })
  test(`TLS ${what}: a server is known by a certificate of an authority that is trusted`, async () => {
    assert.equal(await outcome(at()), 'open')
    assert.match(await outcome(at(), []), /self-signed certificate|unable to (?:verify|get)/)
  })

  test(`TLS ${what}: a certificate for another name is none`, async () => {
    assert.match(await outcome({ ...at(), host: '127.0.0.1' }), /not match certificate's altnames/)
  })
}

for (const [what, rewrite, why] of [
  ['hides STARTTLS', (answer: string) => answer.replaceAll('STARTTLS', 'STARTLED'), /offers no STARTTLS/],
  ['refuses STARTTLS', (answer: string) => answer.replace('OK Begin', 'NO Begin'), /STARTTLS was answered with NO/],
  ['says that we are logged in', (answer: string) => answer.replace('* OK', '* PREAUTH'), /greeted with PREAUTH/],
] as const) {
  test(`to whoever is on the way and ${what} no password is said`, async () => {
    await using way = await tap(dovecot.server, rewrite)
    assert.match(await outcome({ tls: 'required', host: '127.0.0.1', port: way.port }), why)
    assert.doesNotMatch(way.said.join(''), /AUTH|LOGIN/)
  })
}

test('an authority of the operator is trusted where NODE_EXTRA_CA_CERTS names it', async () => {
  await using home = await databaseHome()
  const { user, password } = dovecot.server
  const url = `imaps://${user}:${encodeURIComponent(password)}@localhost:${imaps}`
  const doctor = async (env: Record<string, string>) =>
    (await mailroom({ ...home.env, MAILROOM_IMAP_URL: url, ...env }, 'doctor')).stdout
  assert.match(
    await doctor({ NODE_EXTRA_CA_CERTS: join(directory, 'ca.pem') }),
    /warning +mail host +localhost:\d+ answers; .* there is none yet/,
  )
  assert.match(await doctor({}), /problem +mail host +localhost:\d+: .*certificate/)
})
