import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { migrate } from '#/db/migrate.ts'
import { openDatabase } from '#/db/open.ts'
import { certificateFor } from '../certificate.ts'
import { documented, follow, thereAndBack } from '../deploy/documented.ts'
import { freePort } from '../free-port.ts'
import { type PostgresServer, startPostgres } from '../postgres.ts'
import { insertVerifiedDomain } from '../verified-domain.ts'
import { World } from '../world.ts'

const run = promisify(execFile)
const nobody = 65_534
const password = 'correct horse battery staple'
const ofRole = 'of-the-role'

/** What a Dovecot is to be started with, in a directory that holds its certificate (`dovecot.pem`, `dovecot.key`),
 *  Mailroom's account (`masters`) and, for nobody but `nobody` to write in, `mail`. */
export interface Setting {
  readonly directory: string
  /** For IMAP, at 127.0.0.1. */
  readonly port: number
  readonly database: { readonly host: string; readonly port: string; readonly password: string }
}

interface Started {
  /** What runs its doveadm, for a shell. */
  readonly doveadm: string
  readonly stop: () => Promise<void>
}

/** Tests that a Dovecot, as `deploy/dovecot` sets it up, reads its accounts from our database. `start` starts it, with paths
 *  and ports of its own alone. */
export function accountsOn(start: (setting: Setting) => Promise<Started>): void {
  let postgres: PostgresServer
  let world: World
  let directory: string
  let port: number
  let started: Started | undefined

  before(async () => {
    postgres = await startPostgres()
    const database = await openDatabase({ url: postgres.url })
    await migrate(database.pool)
    const role = join(import.meta.dirname, '../../deploy/dovecot/role.sql')
    for (const secret of ['an-earlier-one', ofRole])
      await run('psql', ['-q', '-v', 'ON_ERROR_STOP=1', '-v', `password=${secret}`, '-f', role, postgres.url])
    world = await World.start({ database })
    directory = await mkdtemp(join(tmpdir(), 'mailroom-accounts-'))
    await chmod(directory, 0o755)
    await mkdir(join(directory, 'mail'))
    await chown(join(directory, 'mail'), nobody, nobody)
    const { cert, key } = certificateFor('mail.example.test')
    await writeFile(join(directory, 'dovecot.pem'), cert)
    await writeFile(join(directory, 'dovecot.key'), key)
    await writeFile(join(directory, 'masters'), 'mailroom:{PLAIN}of-the-master\n')
    port = await freePort()
    const { hostname: host, port: databasePort } = new URL(postgres.url)
    started = await start({ directory, port, database: { host, port: databasePort, password: ofRole } })
  })
  after(async () => {
    await started?.stop()
    const { database } = world
    await world[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
    await postgres[Symbol.asyncDispose]()
    await rm(directory, { recursive: true, force: true })
  })

  /** What Python's IMAP client sees after it has logged in: the subjects in INBOX, or why it could not. */
  async function seenBy(login: string, secret: string): Promise<string[] | string> {
    const script = `
import imaplib, json, ssl, sys
login, secret = sys.argv[1:3]
client = imaplib.IMAP4('127.0.0.1', ${port})
context = ssl.create_default_context()
context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
client.starttls(context)
try:
    client.login(login, secret)
except imaplib.IMAP4.error as error:
    print(json.dumps(error.args[0].decode()))
    sys.exit()
client.select('INBOX')
_, [found] = client.search(None, 'ALL')
subjects = []
for number in found.split():
    _, data = client.fetch(number, '(BODY.PEEK[HEADER.FIELDS (SUBJECT)])')
    subjects.append(data[0][1].decode().strip().removeprefix('Subject: '))
print(json.dumps(subjects))
`
    for (let tries = 0; ; tries++) {
      try {
        return JSON.parse((await run('/usr/bin/python3', ['-c', script, login, secret])).stdout)
      } catch (error) {
        // Dovecot listens a moment after it was started.
        if (tries === 100 || !String(error).includes('ConnectionRefused')) throw error
        await wait(50)
      }
    }
  }

  /** Puts a message into a mailbox, as Mailroom does: as the master user, by the mailbox's id. */
  async function put(mailbox: string, subject: string): Promise<void> {
    const script = `
import imaplib, ssl, sys
context = ssl.create_default_context()
context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
client = imaplib.IMAP4('127.0.0.1', ${port})
client.starttls(context)
client.authenticate('PLAIN', lambda _: ('%s\\0mailroom\\0of-the-master' % sys.argv[1]).encode())
client.append('INBOX', None, None, ('Subject: %s\\r\\n\\r\\nHi\\r\\n' % sys.argv[2]).encode())
`
    await run('/usr/bin/python3', ['-c', script, mailbox, subject])
  }

  async function newMailbox(domain?: string): Promise<{ id: string; address: string }> {
    const organization = await world.organization()
    if (domain) await insertVerifiedDomain(world.db, organization.id, domain)
    const fields = { domain: domain ?? organization.domain, local_part: 'ada', password }
    const { status, body } = await organization.request('POST', '/v1/mailboxes', fields)
    assert.equal(status, 201, JSON.stringify(body))
    return body
  }

  test('a mailbox that the API made is opened with its password at once, and with no other', async () => {
    const { id, address } = await newMailbox()
    assert.deepEqual(await seenBy(address, password), [])
    assert.deepEqual(await seenBy(address.toUpperCase(), password), [])
    await put(id, 'Hello')
    assert.deepEqual(await seenBy(address, password), ['Hello'])
    assert.match(String(await seenBy(address, `${password}!`)), /AUTHENTICATIONFAILED/)
    assert.match(String(await seenBy(id, password)), /AUTHENTICATIONFAILED/)
    assert.match(String(await seenBy(id, '')), /AUTHENTICATIONFAILED/)
  })

  test('a suspended mailbox is closed to its owner', async () => {
    const { id, address } = await newMailbox()
    await world.db.updateTable('mailboxes').set({ suspended_at: new Date() }).where('id', '=', id).execute()
    assert.match(String(await seenBy(address, password)), /AUTHENTICATIONFAILED/)
  })

  test('an address opens the mailbox of whoever holds its domain, and none of the mail from before', async () => {
    const former = await newMailbox('changing.test')
    await put(former.id, 'Of the former owner')
    assert.deepEqual(await seenBy(former.address, password), ['Of the former owner'])
    await world.db
      .updateTable('domains')
      .set({ status: 'failed', ownership_verified_at: null })
      .where('domain', '=', 'changing.test')
      .execute()
    assert.match(String(await seenBy(former.address, password)), /AUTHENTICATIONFAILED/)
    const latter = await newMailbox('changing.test')
    assert.equal(latter.address, former.address)
    assert.deepEqual(await seenBy(latter.address, password), [])
  })

  test('mail is backed up, and there again, by the commands of docs/operations.md', async () => {
    const { id, address } = await newMailbox()
    await newMailbox()
    for (const subject of ['One', 'Two']) await put(id, subject)
    const backup = join(directory, 'backup')
    await mkdir(backup)
    await chown(backup, nobody, nobody)
    const [out, back] = thereAndBack(await documented('operations.md', 'doveadm backup'))
    const doveadm = started?.doveadm ?? ''
    const us = { cwd: directory, instead: { 'doveadm ': `${doveadm} `, '/backup': backup }, env: { id } }
    await follow(out, us)
    await follow([`doveadm expunge -u ${id} mailbox INBOX all`], us)
    assert.deepEqual(await seenBy(address, password), [])
    await follow(back, us)
    assert.deepEqual(await seenBy(address, password), ['One', 'Two'])
  })

  test('who reads the accounts can read nothing else', async () => {
    const url = new URL(postgres.url)
    url.username = 'mailroom_dovecot'
    url.password = ofRole
    const client = new pg.Client(url.href)
    await client.connect()
    try {
      const { rows } = await client.query('select login, password, mailbox from imap_accounts limit 1')
      assert.equal(rows.length, 1)
      const { rows: tables } = await client.query<{ name: string }>(
        `select relname as name from pg_class
          where relnamespace = 'public'::regnamespace and relkind in ('r', 'v', 'm', 'p')
            and has_table_privilege(oid, 'select, insert, update, delete, truncate, references, trigger')`,
      )
      assert.deepEqual(tables, [{ name: 'imap_accounts' }])
      await assert.rejects(client.query('select password_hash from mailboxes'), { code: '42501' })
    } finally {
      await client.end()
    }
  })
}

/** What keeps a test's Dovecot in its directory, and lets it listen at its port alone. */
export function ownSettings({ directory, port }: Setting): string {
  return `
base_dir = ${directory}/run
state_dir = ${directory}/run
log_path = ${directory}/log
first_valid_uid = 1
# Who tries wrong passwords has to wait, which this test need not.
auth_failure_delay = 0
service anvil {
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service imap-login {
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
`
}
