import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openDatabase } from '#/db/open.ts'
import { loggedIn } from '#test/peers/dovecot/accounts/logged-in.ts'
import { HttpClient } from '#test/sockets/http-client.ts'
import { SmtpClient } from '#test/sockets/smtp-client.ts'
import { codes, plain, secured, written } from '#test/world/mail/submission.ts'
import { insertVerifiedDomain } from '#test/world/organization/verified-domain.ts'
import { buildCompose, buildPostgres, inner, passwords, writeInputs } from './compose-inputs.ts'
import type { Containers } from './containers.ts'

const deploy = join(import.meta.dirname, '../../deploy')
const domain = 'example.com'
const password = 'correct horse battery staple'

/** Tests that Docker's own Compose understands deploy/compose.yaml and, with `up`, that it brings up the whole by it, over
 *  Podman. */
export function composeTests(
  open: () => Containers,
  patience: { readonly timeout: number },
  { up }: { readonly up: boolean },
): void {
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
    while (!existsSync(join(base, 'podman.sock'))) await wait(50)
  }, patience)
  after(() => engine?.kill())

  async function compose(...args: string[]): Promise<string> {
    const here = [
      `--volume=${deploy}:${deploy}:ro`,
      `--volume=${base}:${base}`,
      `--env=DOCKER_HOST=unix://${base}/podman.sock`,
    ]
    const files = [`--file=${join(deploy, 'compose.yaml')}`, `--file=${join(base, 'over.yaml')}`]
    const command = ['docker-compose', `--env-file=${join(base, 'env')}`, ...files, ...args]
    return open().podman('run', '--rm', '--network=host', ...here, 'compose', ...command)
  }

  const inside = (service: string) => `mailroom-${service}-1`
  const podman = (...args: string[]) => open().podman(...args)
  const mailroom = (...args: string[]) => podman('exec', inside('api'), 'mailroom', ...args)
  async function address(service: string): Promise<string> {
    const all = await podman(
      'inspect',
      inside(service),
      '--format={{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}',
    )
    return all.split(' ')[0] ?? ''
  }

  /** Compose waits for health checks. Without systemd Podman does not run them, so we do. */
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
    for (const service of ['dovecot', 'postfix']) await open().healthy(inside(service))
    made = await makeMailbox()
    const { key, mailbox } = made
    await using client = await SmtpClient.greeted(25, { host: await address('postfix') })
    const refused = await client.send('ann@peer.example', `nobody@${domain}`, 'From: ann@peer.example\r\n\r\nHi')
    assert.match(refused.lines.join(), /^550 5\.1\.1 .*No such address here/)
    await receive(mailbox, 'Through all')
    assert.deepEqual(await subjectsOf(key, mailbox), ['Through all'])
    // Dovecot knows it by its address, and has the message.
    const seen = ['fetch', '-u', await nameOf(mailbox), 'hdr.subject', 'mailbox', 'INBOX', 'all']
    assert.match(await inDovecot('doveadm', ...seen), /^hdr\.subject: Through all$/m)
    const login = ['auth', 'test', mailbox, password]
    assert.match(await inDovecot('doveadm', ...login), /auth succeeded/)
  })

  test('a mail program sends through Postfix, as the mailbox whose password it has', async () => {
    const { key, mailbox } = made
    await using client = await secured(587, { host: await address('postfix') })
    assert.equal(codes(await client.say(plain(mailbox, 'a wrong password'))), '535 5.7.8')
    assert.equal((await client.say(plain(mailbox, password))).code, 235)
    assert.equal(codes(await client.send(`bob@${domain}`, mailbox, written(mailbox))), '553 5.7.1')
    await client.say('RSET')
    assert.equal((await client.send(mailbox, mailbox, written(mailbox, { Subject: 'Sent here' }))).code, 250)
    assert.deepEqual(await subjectsOf(key, mailbox, 2), ['Sent here', 'Through all'])
  })

  test('mx, what Postfix asks Dovecot and what takes commands there are reached from the inner network alone', async () => {
    const listing = (service: string) =>
      podman('inspect', inside(service), '--format={{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}')
    for (const [service, ports] of [
      ['mx', [10_024, 10_031, 10_587, 2_525]],
      ['dovecot', [12_345, 24_246]],
    ] as const) {
      const all = (await listing(service)).trim().split(' ')
      assert.ok(all.some((one) => one.startsWith(`${inner}.`)) && all.length > 1, all.join())
      for (const host of all)
        for (const port of ports)
          assert.equal(await isOpen(host, port), host.startsWith(`${inner}.`), `${service} ${host}:${port}`)
    }
  })

  test('a new password ends the sessions of mail programs', async () => {
    const mailbox = await newMailbox(made.key, 'eve')
    const host = await address('dovecot')
    const { ended } = await loggedIn({ host, port: 143, login: mailbox, password })
    const changed = JSON.parse(await mailroom('mailbox', 'password', mailbox, '--json'))
    assert.equal(changed.sessions_ended, true)
    await ended
    await assert.rejects(loggedIn({ host, port: 143, login: mailbox, password }))
    assert.match(await inDovecot('doveadm', 'auth', 'test', mailbox, changed.password), /auth succeeded/)
    const { findings } = JSON.parse(await mailroom('doctor', '--json').catch(({ stdout }) => stdout))
    assert.equal(findings.find(({ check }: { check: string }) => check === 'mail sessions').state, 'ok')
  })

  test('what is deleted goes off the disk: a mailbox at once, a message in the night', async () => {
    const mailbox = await newMailbox(made.key, 'flo')
    const id = await nameOf(mailbox)
    for (const subject of ['Plantedone', 'Plantedtwo']) await receive(mailbox, subject)
    assert.equal((await subjectsOf(made.key, mailbox, 2)).length, 2)
    await inDovecot('doveadm', 'expunge', '-u', id, 'mailbox', 'INBOX', 'subject', 'Plantedone')
    assert.notEqual(await filesWith('Plantedone'), '')
    await nightPasses()
    while ((await filesWith('Plantedone')) !== '') await wait(200)
    assert.notEqual(await filesWith('Plantedtwo'), '')
    assert.equal(JSON.parse(await mailroom('mailbox', 'delete', mailbox, '--json')).messages, 1)
    assert.equal(await filesWith('Plantedtwo'), '')
    assert.ok((await directories()).includes(id))
    await nightPasses()
    while ((await directories()).includes(id)) await wait(200)
    assert.ok((await directories()).includes(await nameOf(made.mailbox)))
  })

  const inDovecot = (...args: string[]) => podman('exec', inside('dovecot'), ...args)
  const filesWith = (text: string) => inDovecot('sh', '-c', `grep -rail ${text} /var/vmail || test $? = 1`)
  const directories = async () => (await inDovecot('ls', '/var/vmail')).split('\n')

  /** Ends what the container waits for until it purges. */
  async function nightPasses(): Promise<void> {
    const ends =
      'for of in /proc/[0-9]*; do [ "$(cat $of/comm)" = sleep ] && kill $(basename $of) && exit; done; exit 1'
    for (;;) {
      const asleep = await inDovecot('sh', '-c', ends).then(
        () => true,
        () => false,
      )
      if (asleep) return
      await wait(200)
    }
  }

  test('nothing in it can be written to but what is meant to be', async () => {
    for (const service of ['api', 'mx', 'postgres', 'dovecot', 'postfix'])
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

  async function api(): Promise<HttpClient> {
    return new HttpClient(`http://${await address('api')}:8080`)
  }

  async function nameOf(mailbox: string): Promise<string> {
    const { data } = JSON.parse(await mailroom('mailbox', 'list', '--json'))
    return data.find((one: { address: string }) => one.address === mailbox).id
  }

  async function subjectsOf(key: string, mailbox: string, count = 1): Promise<string[]> {
    const client = await api()
    for (;;) {
      const { status, body } = await client.request('GET', `/v1/messages?mailbox=${mailbox}`, { key })
      // A busy Dovecot answers late.
      if (status !== 502) {
        assert.equal(status, 200, JSON.stringify(body))
        if (body.data.length >= count) return body.data.map(({ subject }: { subject: string }) => subject)
      }
      await wait(100)
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
