import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chown, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import type { Operator } from '#/cli/command.ts'
import { runCommand } from '#/cli/run.ts'
import { readConfig } from '#/config/config.ts'
import { migrate } from '#/db/migrate.ts'
import { openDatabase } from '#/db/open.ts'
import { serverControl } from '#/server/adapters.ts'
import { documented, follow, thereAndBack } from '#test/deploy/documented.ts'
import { hand, letter, subjectsIn } from '#test/mail/letter.ts'
import { untilItGreets } from '#test/peers/dovecot/imap-server.ts'
import { type PostgresServer, startPostgres } from '#test/peers/postgres.ts'
import { freePort } from '#test/sockets/free-port.ts'
import { Sink } from '#test/sockets/sink.ts'
import { operatorOn, printed } from '#test/world/operator.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { insertVerifiedDomain } from '#test/world/organization/verified-domain.ts'
import { World } from '#test/world/world.ts'
import { filesWith } from './files-with.ts'
import { loggedIn } from './logged-in.ts'
import { assertReadsAccountsAlone } from './reads-accounts-alone.ts'
import { seenBy } from './seen-by.ts'
import { nobody, preparedDirectory, type Setting, type Started } from './setting.ts'
import { usedByMutt } from './used-by-mutt.ts'

const run = promisify(execFile)
const password = 'correct horse battery staple'
const ofRole = 'of-the-role'

interface Made {
  readonly organization: TestOrganization
  readonly id: string
  readonly address: string
}

/** Tests that a Dovecot, as `deploy/dovecot` sets it up, reads its accounts from our database. `start` starts it, with paths
 *  and ports of its own alone. */
export function accountsOn(start: (setting: Setting) => Promise<Started>): void {
  let postgres: PostgresServer
  let sink: Sink
  let world: World
  let directory: string
  let port: number
  let started: Started | undefined
  let operator: Operator

  before(async () => {
    postgres = await startPostgres()
    const database = await openDatabase({ url: postgres.url })
    await migrate(database.pool)
    const role = join(import.meta.dirname, '../../../../deploy/dovecot/role.sql')
    for (const secret of ['an-earlier-one', ofRole])
      await run('psql', ['-q', '-v', 'ON_ERROR_STOP=1', '-v', `password=${secret}`, '-f', role, postgres.url])
    directory = await preparedDirectory()
    port = await freePort()
    const { hostname: host, port: databasePort } = new URL(postgres.url)
    const doveadmPort = await freePort()
    started = await start({ directory, port, doveadmPort, database: { host, port: databasePort, password: ofRole } })
    await untilItGreets(port)
    sink = await Sink.start()
    const env = {
      MAILROOM_IMAP_URL: imapUrl(port),
      MAILROOM_DOVEADM_URL: `http://doveadm:of-doveadm@127.0.0.1:${doveadmPort}`,
    }
    world = await World.start({ database, sink, env })
    const config = readConfig(env)
    operator = { ...operatorOn(world), config, serverControl: serverControl(config) }
  })
  after(async () => {
    const { database } = world
    await world[Symbol.asyncDispose]()
    await sink[Symbol.asyncDispose]()
    await started?.stop()
    await database[Symbol.asyncDispose]()
    await postgres[Symbol.asyncDispose]()
    await rm(directory, { recursive: true, force: true })
  })

  const seen = (login: string, secret: string) => seenBy(port, login, secret)

  async function newMailbox(domain?: string): Promise<Made> {
    const organization = await world.organization()
    if (domain) await insertVerifiedDomain(world.db, organization.id, domain)
    const fields = { domain: domain ?? organization.domain, local_part: 'ada', password }
    const { status, body } = await organization.request('POST', '/v1/mailboxes', fields)
    assert.equal(status, 201, JSON.stringify(body))
    return { organization, id: body.id, address: body.address }
  }

  /** Mail that comes, and is there for whoever looks. */
  async function receive({ organization, address }: Made, ...subjects: readonly string[]): Promise<void> {
    for (const Subject of subjects)
      assert.equal(await hand(world, 'ann@peer.example', address, letter({ Subject })), '250 2.6.0')
    assert.equal((await subjectsIn(organization, address)).length, subjects.length)
  }

  test('a mailbox that the API made is opened with its password at once, and with no other', async () => {
    const made = await newMailbox()
    const { id, address } = made
    assert.deepEqual(await seen(address, password), [])
    assert.deepEqual(await seen(address.toUpperCase(), password), [])
    await receive(made, 'Hello')
    assert.deepEqual(await seen(address, password), ['Hello'])
    assert.match(String(await seen(address, `${password}!`)), /AUTHENTICATIONFAILED/)
    assert.match(String(await seen(id, password)), /AUTHENTICATIONFAILED/)
    assert.match(String(await seen(id, '')), /AUTHENTICATIONFAILED/)
  })

  test('a suspended mailbox is closed to its owner', async () => {
    const { id, address } = await newMailbox()
    await world.db.updateTable('mailboxes').set({ suspended_at: new Date() }).where('id', '=', id).execute()
    assert.match(String(await seen(address, password)), /AUTHENTICATIONFAILED/)
  })

  test('an address opens the mailbox of whoever holds its domain, and none of the mail from before', async () => {
    const former = await newMailbox('changing.test')
    await receive(former, 'Of the former owner')
    assert.deepEqual(await seen(former.address, password), ['Of the former owner'])
    await world.db
      .updateTable('domains')
      .set({ status: 'failed', ownership_verified_at: null })
      .where('domain', '=', 'changing.test')
      .execute()
    assert.match(String(await seen(former.address, password)), /AUTHENTICATIONFAILED/)
    const latter = await newMailbox('changing.test')
    assert.equal(latter.address, former.address)
    assert.deepEqual(await seen(latter.address, password), [])
  })

  test('a new password ends what was open under the old one, which opens nothing any more', async () => {
    const { address } = await newMailbox()
    const { ended } = await loggedIn({ port, login: address, password })
    const made = await printed(operator, 'mailbox', 'password', address)
    assert.equal(made.sessions_ended, true)
    await ended
    assert.match(String(await seen(address, password)), /AUTHENTICATIONFAILED/)
    assert.deepEqual(await seen(address, made.password), [])
    const chosen = await printed(operator, 'mailbox', 'password', address, '--password=correct horse of the chosen')
    assert.equal('password' in chosen, false)
    assert.deepEqual(await seen(address, 'correct horse of the chosen'), [])
  })

  test('a suspended mailbox, and every mailbox of a suspended domain, is closed to who had it open', async () => {
    const { address } = await newMailbox()
    const one = await loggedIn({ port, login: address, password })
    await printed(operator, 'mailbox', 'suspend', address)
    await one.ended
    assert.match(String(await seen(address, password)), /AUTHENTICATIONFAILED/)
    await printed(operator, 'mailbox', 'resume', address)
    const another = await loggedIn({ port, login: address, password })
    await printed(operator, 'domain', 'suspend', address.slice(4))
    await another.ended
    assert.match(String(await seen(address, password)), /AUTHENTICATIONFAILED/)
  })

  test('what is deleted is off the disk: a message by the next purge, a mailbox with what is in it at once', async () => {
    const [made, other] = [await newMailbox(), await newMailbox()]
    await receive(made, 'Plantedone', 'Plantedtwo')
    await receive(other, 'Plantedthree')
    const { id, address, organization } = made
    const mailbox = { organizationId: organization.id, mailboxId: id }
    await world.mailHost.update(mailbox, 'inbox', [2], { folder: 'Plantedfolder/Below' })
    assert.deepEqual(await world.mailHost.expunge(mailbox, 'inbox', [1]), [1])
    assert.notDeepEqual(await filesWith(join(directory, 'mail'), 'Plantedone'), [])
    const purge = join(import.meta.dirname, '../../../../deploy/dovecot/purge')
    const env = { ...process.env, DOVEADM: `env ${started?.doveadm}` }
    await run('sh', [purge, join(directory, 'mail')], { env })
    assert.deepEqual(await filesWith(join(directory, 'mail'), 'Plantedone'), [])
    assert.notDeepEqual(await filesWith(join(directory, 'mail'), 'Plantedtwo'), [])
    const { ended } = await loggedIn({ port, login: address, password })
    assert.equal((await printed(operator, 'mailbox', 'delete', address)).messages, 1)
    await ended
    assert.deepEqual(await filesWith(join(directory, 'mail'), 'Plantedtwo'), [])
    await run('sh', [purge, join(directory, 'mail')], { env })
    assert.deepEqual(await filesWith(join(directory, 'mail'), 'Plantedfolder'), [])
    const left = await readdir(join(directory, 'mail'))
    assert.deepEqual([left.includes(id), left.includes(other.id)], [false, true])
    assert.deepEqual(await subjectsIn(other.organization, other.address), ['Plantedthree'])
  })

  test('doveadm takes what Mailroom tells it and nothing else, and the doctor sees whether it does', async () => {
    await operator.serverControl?.try()
    const { secrets } = operator.config
    const found = async (doveadm: typeof secrets.doveadm) => {
      const config = { ...operator.config, secrets: { ...secrets, doveadm } }
      const answer = await printedAnyhow({ ...operator, config, serverControl: serverControl(config) }, 'doctor')
      return answer.findings.find(({ check }: { check: string }) => check === 'mail sessions')
    }
    assert.equal((await found(secrets.doveadm)).state, 'ok')
    assert.equal((await found(undefined)).state, 'warning')
    const wrong = await found({ origin: secrets.doveadm?.origin ?? '', password: 'another' })
    assert.deepEqual([wrong.state, /refuses the password/.test(wrong.found)], ['problem', true])
    const answer = await fetch(`${secrets.doveadm?.origin}/doveadm/v1`, {
      method: 'POST',
      headers: { Authorization: `Basic ${Buffer.from('doveadm:of-doveadm').toString('base64')}` },
      body: JSON.stringify([['who', {}, 'tag']]),
    })
    assert.match(await answer.text(), /"error"/)
  })

  async function printedAnyhow(one: Operator, ...argv: readonly string[]) {
    return JSON.parse((await runCommand([...argv, '--json'], one)).stdout)
  }

  test('mail is backed up, and there again, by the commands of docs/backup.md', async () => {
    const made = await newMailbox()
    const { id, address } = made
    await newMailbox()
    await receive(made, 'One', 'Two')
    const backup = join(directory, 'backup')
    await mkdir(backup)
    await chown(backup, nobody, nobody)
    const [out, back] = thereAndBack(await documented('backup.md', 'doveadm backup'))
    const doveadm = started?.doveadm ?? ''
    const us = { cwd: directory, instead: { 'doveadm ': `${doveadm} `, '/backup': backup }, env: { id } }
    await follow(out, us)
    await follow([`doveadm expunge -u ${id} mailbox INBOX all`], us)
    assert.deepEqual(await seen(address, password), [])
    await follow(back, us)
    assert.deepEqual(await seen(address, password), ['One', 'Two'])
  })

  test('mutt opens a mailbox that the API has just made: it has what the API keeps, and the API what is done in it', async () => {
    const made = await newMailbox()
    await receive(made, 'One', 'Two', 'Three', 'Four')
    await usedByMutt(made, { port, login: made.address, password, certificate: join(directory, 'dovecot.pem') })
  })

  test('who reads the accounts can read nothing else', async () => {
    await assertReadsAccountsAlone(postgres.url, ofRole)
  })
}

function imapUrl(port: number): string {
  return `imap://mailroom:of-the-master@127.0.0.1:${port}?starttls=never`
}
