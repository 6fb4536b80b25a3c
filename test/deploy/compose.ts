import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openDatabase } from '#/base/db/open.ts'
import { ImapClient } from '#test/world/imap/client.ts'
import { plain, secured, written } from '#test/world/mail/submission.ts'
import { onceThere } from '#test/world/observe/once-there.ts'
import { insertVerifiedDomain } from '#test/world/organization/verified-domain.ts'
import { HttpClient } from '#test/world/sockets/http-client.ts'
import { SmtpClient } from '#test/world/sockets/smtp-client.ts'
import { buildCompose, buildPostgres, inner, passwords, writeInputs } from './compose-inputs.ts'
import type { Containers } from './containers.ts'

const deploy = join(import.meta.dirname, '../../deploy')
const domain = 'example.com'
const password = 'correct horse battery staple'

/** Tests that Docker's own Compose understands deploy/compose.yaml and, with `up`, that it brings up the whole by it, over
 *  Podman. */
export function composeTests(open: () => Containers, { up }: { readonly up: boolean }): void {
  let engine: ChildProcess | undefined
  let base: string
  let made: { key: string; mailbox: string }

  before(async () => {
    const containers = open()
    base = join(containers.directory, 'compose')
    await mkdir(base)
    await writeInputs(base)
    await buildCompose(containers)
    // To check the file takes neither a database nor an engine.
    if (!up) return
    await buildPostgres(containers)
    const socket = `unix://${join(base, 'podman.sock')}`
    engine = spawn('podman', [...containers.own, 'system', 'service', '--time=0', socket], { env: containers.env })
    await onceThere(base, async () => existsSync(join(base, 'podman.sock')))
  })
  after(() => engine?.kill())

  async function compose(...args: string[]): Promise<string> {
    const volumes = [`--volume=${deploy}:${deploy}:ro`, `--volume=${base}:${base}`]
    const here = [...volumes, `--env=DOCKER_HOST=unix://${base}/podman.sock`]
    const files = [`--file=${join(deploy, 'compose.yaml')}`, `--file=${join(base, 'over.yaml')}`]
    const command = ['docker-compose', `--env-file=${join(base, 'env')}`, ...files, ...args]
    return open().podman('run', '--rm', '--network=host', ...here, 'compose', ...command)
  }

  const inside = (service: string) => `mailroom-${service}-1`
  const podman = (...args: string[]) => open().podman(...args)
  const mailroom = (...args: string[]) => podman('exec', inside('api'), 'mailroom', ...args)
  const itsAddresses = '--format={{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}'
  const addresses = async (service: string) =>
    (await podman('inspect', inside(service), itsAddresses)).trim().split(' ')
  const address = async (service: string) => (await addresses(service))[0] ?? ''

  /** Compose waits for health checks, for which Podman has timers of systemd: this is one in their place. */
  async function lookAfterHealthUntil(done: Promise<unknown>): Promise<void> {
    let over = false
    const end = () => {
      over = true
    }
    done.then(end, end)
    while (!over) {
      const ids = (await podman('ps', '--quiet')).split('\n').filter((id) => id !== '')
      for (const id of ids) await podman('healthcheck', 'run', id).catch(() => {})
      await wait(200)
    }
  }

  test('Compose understands all of it', async () => {
    assert.equal(await compose('config', '--quiet'), '')
  })

  if (!up) return
  test('it comes up, and a message goes through all of it', async () => {
    const coming = compose('up', '--detach', '--no-build')
    await lookAfterHealthUntil(coming)
    await coming
    for (const service of ['programs', 'postfix']) await open().healthy(inside(service))
    made = await makeMailbox()
    const { key, mailbox } = made
    await using client = await SmtpClient.greeted(25, { host: await address('postfix') })
    const refused = await client.send('ann@peer.example', `nobody@${domain}`, 'From: ann@peer.example\r\n\r\nHi')
    assert.match(refused.lines.join(), /^550 5\.1\.1 .*No such address here/)
    await receive(mailbox, 'Through all')
    assert.deepEqual(await subjectsOf(key, mailbox), ['Through all'])
    await using program = await reading(mailbox)
    assert.deepEqual((await program.run('STATUS INBOX (MESSAGES)')).untagged, ['STATUS INBOX (MESSAGES 1)'])
  })

  test('a mail program sends as the mailbox whose password it has', async () => {
    const { key, mailbox } = made
    await using client = await secured(1587, { host: await address('programs') })
    assert.equal((await client.say(plain(mailbox, 'a wrong password'))).codes, '535 5.7.8')
    assert.equal((await client.say(plain(mailbox, password))).code, 235)
    assert.equal((await client.send(`bob@${domain}`, mailbox, written(mailbox))).codes, '553 5.7.1')
    await client.say('RSET')
    assert.equal((await client.send(mailbox, mailbox, written(mailbox, { Subject: 'Sent here' }))).code, 250)
    assert.deepEqual(await subjectsOf(key, mailbox, 2), ['Sent here', 'Through all'])
  })

  test('mx is reached from the inner network alone', async () => {
    const all = await addresses('mx')
    assert.ok(all.some((one) => one.startsWith(`${inner}.`)) && all.length > 1, all.join())
    for (const host of all)
      for (const port of [10_024, 10_031, 2_525])
        assert.equal(await isOpen(host, port), host.startsWith(`${inner}.`), `${host}:${port}`)
  })

  test('a new password ends the sessions of mail programs', async () => {
    const mailbox = await newMailbox(made.key, 'eve')
    await using program = await reading(mailbox)
    const changed = JSON.parse(await mailroom('mailbox', 'password', mailbox, '--json'))
    await program.untagged(/^BYE/)
    await assert.rejects(reading(mailbox), /AUTHENTICATIONFAILED/)
    await using again = await reading(mailbox, changed.password)
    assert.equal((await again.run('NOOP')).status, 'OK')
  })

  test('nothing in it can be written to but what is meant to be', async () => {
    for (const service of ['api', 'mx', 'programs', 'postgres', 'postfix'])
      await assert.rejects(podman('exec', '--user=0', inside(service), 'touch', '/usr/x'), /Read-only file system/)
  })

  async function makeMailbox(): Promise<{ key: string; mailbox: string }> {
    const { id } = JSON.parse(await mailroom('org', 'create', 'Acme', '--json'))
    const { key } = JSON.parse(await mailroom('key', 'create', '--org', 'Acme', '--scopes', 'all', '--json'))
    const url = `postgres://mailroom:${passwords.DATABASE_PASSWORD}@${await address('postgres')}/mailroom`
    await using database = await openDatabase({ url })
    await insertVerifiedDomain(database.db, id, domain)
    return { key, mailbox: await newMailbox(key, 'ada') }
  }

  async function newMailbox(key: string, name: string): Promise<string> {
    const body = { domain, local_part: name, password }
    const made = await (await api()).request('POST', '/v1/mailboxes', { key, body })
    assert.equal(made.status, 201)
    return made.body.address
  }

  async function receive(mailbox: string, subject: string): Promise<void> {
    await using client = await SmtpClient.greeted(25, { host: await address('postfix') })
    const message = `From: Ann <ann@peer.example>\r\nSubject: ${subject}\r\n\r\nHi`
    assert.equal((await client.send('ann@peer.example', mailbox, message)).code, 250)
  }

  /** A mail program that reads the mailbox. */
  async function reading(mailbox: string, secret = password): Promise<ImapClient> {
    const client = await ImapClient.open(1143, { host: await address('programs') })
    await client.untagged(/^OK/)
    await client.startTls()
    const { status, text } = await client.run(`LOGIN ${mailbox} "${secret}"`)
    if (status !== 'OK') throw new Error(text)
    return client
  }

  async function api(): Promise<HttpClient> {
    return new HttpClient(`http://${await address('api')}:8080`)
  }

  async function subjectsOf(key: string, mailbox: string, count = 1): Promise<string[]> {
    const client = await api()
    const get = async (path: string) => {
      const { status, body } = await client.request('GET', path, { key })
      assert.equal(status, 200, JSON.stringify(body))
      return body
    }
    for (;;) {
      const { next } = await get('/v1/events?after=now')
      const { data } = await get(`/v1/messages?mailbox=${mailbox}`)
      if (data.length >= count) return data.map(({ subject }: { subject: string }) => subject)
      await get(`/v1/events?after=${next}&types=message.received&wait=30`)
    }
  }
}

async function isOpen(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port, timeout: 5_000 })
  return await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true))
    for (const end of ['error', 'timeout'] as const) socket.once(end, () => resolve(false))
  }).finally(() => socket.destroy())
}
