import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openDatabase } from '#/db/open.ts'
import { certificateFor } from '../certificate.ts'
import { HttpClient } from '../http-client.ts'
import { SmtpClient } from '../smtp-client.ts'
import { codes, plain, secured, written } from '../submission.ts'
import { insertVerifiedDomain } from '../verified-domain.ts'
import type { Containers } from './containers.ts'

const deploy = join(import.meta.dirname, '../../deploy')
const passwords = {
  DATABASE_PASSWORD: 'of-the-database',
  DOVECOT_DATABASE_PASSWORD: 'of "the" \\role',
  POSTFIX_DATABASE_PASSWORD: 'of-its-role',
}
const domain = 'example.com'
const password = 'correct horse battery staple'
/** Of the inner network. */
const inner = '10.215.25'

/** Tests that Docker's own Compose understands deploy/compose.yaml and, with `up`, that it brings up the whole by it, over
 *  Podman. */
export function composeTests(
  open: () => Containers,
  patience: { readonly timeout: number },
  { up }: { readonly up: boolean },
): void {
  let engine: ChildProcess
  let base: string
  let made: { key: string; mailbox: string }

  before(async () => {
    const containers = open()
    base = join(containers.directory, 'compose')
    await mkdir(base)
    await writeInputs(base)
    await buildTools(containers)
    const socket = `unix://${join(base, 'podman.sock')}`
    engine = spawn('podman', [...containers.own, 'system', 'service', '--time=0', socket], { env: containers.env })
    while (!existsSync(join(base, 'podman.sock'))) await wait(50)
  }, patience)
  after(() => engine?.kill())

  /** In a container, since this machine may have no Compose, or an old one. */
  async function compose(...args: string[]): Promise<string> {
    const here = [
      `--volume=${deploy}:${deploy}:ro`,
      `--volume=${base}:${base}`,
      `--env=DOCKER_HOST=unix://${base}/podman.sock`,
    ]
    const files = [`--file=${join(deploy, 'compose.yaml')}`, `--file=${join(base, 'over.yaml')}`]
    const command = ['docker-compose', `--env-file=${join(base, 'env')}`, ...files, ...args]
    return open().podman('run', '--rm', '--network=host', ...here, 'tools', ...command)
  }

  const inside = (service: string) => `mailroom-${service}-1`
  const podman = (...args: string[]) => open().podman(...args)
  async function address(service: string): Promise<string> {
    const all = await podman(
      'inspect',
      inside(service),
      '--format={{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}',
    )
    return all.split(' ')[0] ?? ''
  }

  /** Compose waits for health, and where there is no systemd nobody but us asks about it. */
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
    assert.match(refused.lines.join(), /^550 5\.1\.1 .*Nobody here has that address/)
    await client.say('RSET')
    const message = 'From: Ann <ann@peer.example>\r\nSubject: Through all\r\nMessage-ID: <1@peer.example>\r\n\r\nHi'
    assert.equal((await client.send('ann@peer.example', mailbox, message)).code, 250)
    assert.deepEqual(await subjectsOf(key, mailbox), ['Through all'])
    // Dovecot knows it by its address, and has the message.
    const seen = ['fetch', '-u', await nameOf(mailbox), 'hdr.subject', 'mailbox', 'INBOX', 'all']
    assert.match(await podman('exec', inside('dovecot'), 'doveadm', ...seen), /^hdr\.subject: Through all$/m)
    const login = ['auth', 'test', mailbox, password]
    assert.match(await podman('exec', inside('dovecot'), 'doveadm', ...login), /auth succeeded/)
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

  test('mx and what Postfix asks Dovecot are reached from the inner network alone', async () => {
    const listing = (service: string) =>
      podman('inspect', inside(service), '--format={{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}')
    for (const [service, ports] of [
      ['mx', [10_024, 10_031, 10_587, 2_525]],
      ['dovecot', [12_345]],
    ] as const) {
      const all = (await listing(service)).trim().split(' ')
      assert.ok(all.some((one) => one.startsWith(`${inner}.`)) && all.length > 1, all.join())
      for (const host of all)
        for (const port of ports)
          assert.equal(await isOpen(host, port), host.startsWith(`${inner}.`), `${service} ${host}:${port}`)
    }
  })

  test('nothing in it can be written to but what is meant to be', async () => {
    for (const service of ['api', 'mx', 'postgres', 'dovecot', 'postfix'])
      await assert.rejects(podman('exec', '--user=0', inside(service), 'touch', '/usr/x'), /Read-only file system/)
  })

  async function makeMailbox(): Promise<{ key: string; mailbox: string }> {
    const mailroom = (...args: string[]) => podman('exec', inside('api'), 'mailroom', ...args)
    const { id } = JSON.parse(await mailroom('org', 'create', 'Acme', '--json'))
    const { key } = JSON.parse(await mailroom('key', 'create', '--org', 'Acme', '--scopes', 'all', '--json'))
    const url = `postgres://mailroom:${passwords.DATABASE_PASSWORD}@${await address('postgres')}/mailroom`
    await using database = await openDatabase({ url })
    await insertVerifiedDomain(database.db, id, domain)
    const body = { domain, local_part: 'ada', password }
    const made = await (await api()).request('POST', '/v1/mailboxes', { key, body })
    assert.equal(made.status, 201)
    return { key, mailbox: made.body.address }
  }

  async function api(): Promise<HttpClient> {
    return new HttpClient(`http://${await address('api')}:8080`)
  }

  async function nameOf(mailbox: string): Promise<string> {
    const { data } = JSON.parse(await podman('exec', inside('api'), 'mailroom', 'mailbox', 'list', '--json'))
    return data.find((one: { address: string }) => one.address === mailbox).id
  }

  async function subjectsOf(key: string, mailbox: string, count = 1): Promise<string[]> {
    const client = await api()
    for (let tries = 0; ; tries++) {
      const { body } = await client.request('GET', `/v1/messages?mailbox=${mailbox}`, { key })
      if (body.data.length >= count) return body.data.map(({ subject }: { subject: string }) => subject)
      if (tries === 100) throw new Error(await podman('logs', inside('postfix')))
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

/** What an operator gives, and what is other here: no port of this machine is taken. */
async function writeInputs(base: string): Promise<void> {
  const imap = 'imap.example.com'
  const { cert, key } = certificateFor(imap)
  const values = {
    ...passwords,
    DOVECOT_MASTER_PASSWORD: 'of-the-master',
    DOVEADM_PASSWORD: 'of-doveadm',
    MAILROOM_SECRET: '0123456789abcdef0123456789abcdef',
    MAILROOM_HOSTNAME: 'mx.example.com',
    IMAP_HOSTNAME: imap,
    CERTIFICATES: base,
    INSIDE: inner,
  }
  const trusting = `{environment: {NODE_EXTRA_CA_CERTS: /ca.pem}, volumes: ['${base}/fullchain.pem:/ca.pem:ro'], ports: !reset []}`
  const files = {
    env: Object.entries(values).map(([name, value]) => `${name}='${value}'\n`),
    'fullchain.pem': [cert],
    'privkey.pem': [key],
    'over.yaml': [
      'services:\n',
      `  api: ${trusting}\n  mx: ${trusting}\n`,
      '  dovecot: {ports: !reset []}\n  postfix: {ports: !reset []}\n',
    ],
  }
  for (const [name, lines] of Object.entries(files)) await writeFile(join(base, name), lines.join(''))
}

/** Compose, and PostgreSQL in the place of the image that everyone takes, set up by the same variables. Its socket lies in
 *  /tmp, since Podman gives a tmpfs below its own /run to root. */
async function buildTools(containers: Containers): Promise<void> {
  const context = join(containers.directory, 'tools')
  await mkdir(context)
  const start = `#!/bin/sh
set -eu
local='-c listen_addresses= -c unix_socket_directories=/tmp'
if [ ! -e "$PGDATA/PG_VERSION" ]; then
  echo "$POSTGRES_PASSWORD" >/tmp/password
  initdb --no-sync --username="$POSTGRES_USER" --pwfile=/tmp/password --auth-host=scram-sha-256
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  pg_ctl -w -o "$local" start
  createdb -h /tmp -U "$POSTGRES_USER" "$POSTGRES_DB"
  pg_ctl -w stop
fi
exec postgres -c listen_addresses='*' -c unix_socket_directories=/tmp
`
  await writeFile(join(context, 'start'), start, { mode: 0o755 })
  await writeFile(
    join(context, 'Dockerfile'),
    `FROM debian:trixie-slim
    RUN apt-get update && DEBIAN_FRONTEND=noninteractive \\
      apt-get install --yes --no-install-recommends docker-compose postgresql-17 \\
      && install -d -o postgres -g postgres -m 1777 /var/lib/postgresql/data
    ENV PATH=/usr/lib/postgresql/17/bin:/usr/local/bin:/usr/bin:/bin PGDATA=/var/lib/postgresql/data
    COPY start /usr/local/bin/start
    CMD ["start"]
    `,
  )
  await containers.build('tools', context)
  await containers.podman('tag', 'tools', 'docker.io/library/postgres:17')
}
