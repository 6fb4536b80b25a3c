import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, chown, mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { openDatabase } from '#/db/open.ts'
import { listSpooled } from '#/messages/spooled.ts'
import { example } from '#test/deploy/example.ts'
import { senderBehind } from '#test/mail/bounce-address.ts'
import { subjectsIn } from '#test/mail/letter.ts'
import { afterFile, directoryOfFile, ofFile } from '#test/of-file.ts'
import { startDovecot23 } from '#test/peers/dovecot/accounts/dovecot-23.ts'
import { untilItGreets } from '#test/peers/dovecot/imap-server.ts'
import { startPostgres } from '#test/peers/postgres.ts'
import { soon } from '#test/processes/fleet.ts'
import { certificateFor } from '#test/sockets/certificate.ts'
import { freePort } from '#test/sockets/free-port.ts'
import { homeAt } from '#test/world/database/database.ts'
import { limitFor } from '#test/world/limit-for.ts'
import { opened, privateMailbox, storedIn } from '#test/world/mail/private-mailbox.ts'
import { password, startSubmitting, submittingMailbox, written } from '#test/world/mail/submission.ts'
import { writeMaps } from './maps.ts'
import { certificates, Postfix, settingsOf } from './postfix.ts'

const run = promisify(execFile)
const nobody = 65_534
const secret = 'of-the-role'

/** PostgreSQL, Dovecot with mail and passwords, and Postfix, which asks Dovecot for passwords and relays to us. */
const postgres = ofFile(await startPostgres())
await homeAt(postgres.url)
const database = ofFile(await openDatabase({ url: postgres.url }))
for (const server of ['dovecot', 'postfix']) {
  const role = join(import.meta.dirname, `../../../deploy/${server}/role.sql`)
  await run('psql', ['-q', '-v', 'ON_ERROR_STOP=1', '-v', `password=${secret}`, '-f', role, postgres.url])
}
const directory = directoryOfFile()
await chmod(directory, 0o755)
await mkdir(join(directory, 'mail'))
await chown(join(directory, 'mail'), nobody, nobody)
const { cert, key } = certificateFor('mail.example.test')
await writeFile(join(directory, 'dovecot.pem'), cert)
await writeFile(join(directory, 'dovecot.key'), key)
await writeFile(join(directory, 'masters'), 'mailroom:{PLAIN}of-the-master\n')
const imapPort = await freePort()
const { hostname, port } = new URL(postgres.url)
await writeMaps(directory, postgres.url, secret)
const imap = `imap://mailroom:of-the-master@127.0.0.1:${imapPort}?starttls=never`
const accounts = { host: hostname, port, password: secret }
const dovecot = { directory, port: imapPort, doveadmPort: await freePort(), database: accounts }
// Postfix makes the directory in which Dovecot puts its socket.
const proxy = await freePort()
/** Of Postfix. */
const ports = { submission: await freePort(), submissions: await freePort() }
const services = await example('postfix/master.cf', {
  'submission inet n - y': `127.0.0.1:${ports.submission} inet n - n`,
  'submissions inet n - y': `127.0.0.1:${ports.submissions} inet n - n`,
})
const settings = settingsOf(
  await example('postfix/sql.cf', {
    '/etc/postfix/': `${directory}/`,
    ...(await certificates(directory, certificateFor('mail.dest.test'))),
    '127.0.0.1:10587': `127.0.0.1:${proxy}`,
  }),
)
const postfix = ofFile(await Postfix.start(settings, certificateFor('mx.dest.test'), services))
const auth = await example('dovecot/postfix-auth.conf', { '/var/spool/postfix/': `${postfix.queue}/` })
const started = await startDovecot23(dovecot, auth)
afterFile(() => started.stop())
await untilItGreets(imapPort)
const env = { MAILROOM_IMAP_URL: imap, MAILROOM_SUBMISSION_PROXY_PORT: String(proxy) }
const on = ofFile(await startSubmitting({ database, env }))
const ada = await submittingMailbox(on.organization, 'ada')
const bob = await submittingMailbox(on.organization, 'bob')

/** The result of Python's smtplib: `sent`, or the error. */
async function sentBy(
  how: { port: number; tls: boolean; login: string; secret?: string; from: string; to: string },
  message: string,
): Promise<string> {
  const script = `
import json, smtplib, ssl, sys
how = json.loads(sys.argv[1])
context = ssl.create_default_context()
context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
client = smtplib.SMTP_SSL('localhost', how['port'], context=context) if how['tls'] else smtplib.SMTP('localhost', how['port'])
if not how['tls']: client.starttls(context=context)
try:
    client.login(how['login'], how['secret'])
    client.sendmail(how['from'], [how['to']], sys.argv[2].encode())
    client.quit()
    print(json.dumps('sent'))
except (smtplib.SMTPResponseException, smtplib.SMTPRecipientsRefused) as error:
    refused = list(error.recipients.values())[0] if hasattr(error, 'recipients') else (error.smtp_code, error.smtp_error)
    print(json.dumps(f'{refused[0]} {refused[1].decode()}'))
`
  const given = JSON.stringify({ secret: password, ...how })
  return JSON.parse((await run('/usr/bin/python3', ['-c', script, given, message])).stdout)
}

/** Puts a message into Sent, as mail programs do. */
async function appendedBy(login: string, message: string): Promise<void> {
  const script = `
import imaplib, ssl, sys
client = imaplib.IMAP4('127.0.0.1', ${imapPort})
context = ssl.create_default_context()
context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
client.starttls(context)
client.login(sys.argv[1], sys.argv[2])
assert client.append('Sent', '(\\\\Seen)', None, sys.argv[3].encode())[0] == 'OK'
`
  await run('/usr/bin/python3', ['-c', script, login, password, message])
}

/** The minute that a program has is over. */
async function later(): Promise<void> {
  await sql`update mail_spool set due_at = clock_timestamp() where leased_until is null`.execute(database.db)
}

async function taken() {
  await on.world.outbound.processAll()
  return on.sink.taken.splice(0)
}

const direct = () => [
  { port: on.world.submission?.port ?? 0, tls: false },
  { port: on.world.submissionTls?.port ?? 0, tls: true },
]
const throughPostfix = () => [
  { port: ports.submission, tls: false },
  { port: ports.submissions, tls: true },
]

for (const [way, doors] of [
  ['straight to Mailroom', direct],
  ['through Postfix', throughPostfix],
] as const)
  describe(way, () => {
    test('Python sends by STARTTLS and by TLS from the start', async () => {
      for (const door of doors()) {
        const how = { ...door, login: ada.address, from: ada.address, to: 'bob@there.example' }
        assert.equal(await sentBy(how, written(ada.address, { Bcc: 'eve@there.example' })), 'sent')
        const [sent, ...more] = await taken()
        assert.deepEqual([senderBehind(sent?.from), sent?.to, more], [ada.address, ['bob@there.example'], []])
        assert.doesNotMatch(sent?.bytes.toString() ?? '', /^bcc:/im)
      }
    })

    test('curl sends', async () => {
      for (const { port, tls } of doors()) {
        const url = `${tls ? 'smtps' : 'smtp'}://localhost:${port}/laptop.example`
        const login = ['--ssl-reqd', '--insecure', '--user', `${ada.address}:${password}`]
        const file = join(tmpdir(), `mailroom-curl-${port}`)
        await writeFile(file, written(ada.address))
        await run('curl', [
          '-sS',
          url,
          ...login,
          '--mail-from',
          ada.address,
          '--mail-rcpt',
          'bob@there.example',
          '-T',
          file,
        ])
        await rm(file)
        assert.equal((await taken()).length, 1)
      }
    })

    test('a wrong password, a stranger as sender or in From, and an unknown recipient are refused while it sends', async () => {
      for (const door of doors()) {
        const how = { ...door, login: ada.address, from: ada.address, to: 'bob@there.example' }
        const message = written(ada.address)
        assert.match(await sentBy({ ...how, secret: 'wrong password' }, message), /^535 5\.7\.8 /)
        assert.match(await sentBy({ ...how, from: bob.address }, message), /^553 5\.7\.1 /)
        assert.match(await sentBy(how, written(bob.address)), /^553 5\.7\.1 .*may not send as/)
        const unknown = await sentBy({ ...how, to: `nobody@${on.organization.domain}` }, message)
        assert.match(unknown, /^550 5\.1\.1 .*No such address here/)
      }
      assert.deepEqual(await taken(), [])
    })
  })

describe('Sent on an IMAP server', () => {
  const how = (from: string) => ({ ...(direct()[0] ?? assert.fail()), login: from, from, to: 'bob@there.example' })
  const sent = (address: string) => subjectsIn(on.organization, address, 'sent')

  test('a program that stores its copy has one, and so has one that does not', async () => {
    const { id, address } = await submittingMailbox(on.organization, 'cy')
    const stores = written(address, { Subject: 'Stored by its program' })
    assert.equal(await sentBy(how(address), stores), 'sent')
    assert.equal(await sentBy(how(address), written(address, { Subject: 'Stored by nobody' })), 'sent')
    await appendedBy(address, stores)
    const held = (await listSpooled(database.db, 100)).filter(({ mailbox }) => mailbox === address)
    assert.deepEqual([held.length, held[0]?.folder], [2, 'sent'])
    assert.match(held[0]?.reason ?? '', /^Held back for a minute/)
    // A program that looks meanwhile sees its own.
    assert.deepEqual(await sent(address), ['Stored by its program'])
    await later()
    await soon(limitFor(30_000), 'the other copy is there', async () => (await sent(address)).length > 1)
    assert.deepEqual((await sent(address)).toSorted(), ['Stored by its program', 'Stored by nobody'].toSorted())
    await soon(limitFor(30_000), 'nothing waits', async () => {
      const { rows } = await sql`select from mail_spool where mailbox_id = ${id}`.execute(database.db)
      return rows.length === 0
    })
    assert.equal((await sent(address)).length, 2)
    await taken()
  })

  test("a Private mailbox's copy is encrypted to its key, and waits encrypted", async () => {
    const mine = await privateMailbox(on.organization, 'quiet')
    const hash = database.db.selectFrom('mailboxes').select('password_hash').where('id', '=', ada.id)
    await database.db.updateTable('mailboxes').set({ password_hash: hash }).where('id', '=', mine.id).execute()
    assert.equal(await sentBy(how(mine.address), written(mine.address, { Subject: 'Quietly' }, 'Between us')), 'sent')
    const { rows } = await sql<{ text: string }>`
      select concat(mail_spool::text, encode(bytes, 'escape')) as text from mail_spool`.execute(database.db)
    assert.match(rows[0]?.text ?? '', /BEGIN PGP MESSAGE/)
    assert.doesNotMatch(rows[0]?.text ?? '', /Quietly|Between us|bob@there/)
    await later()
    await soon(
      limitFor(30_000),
      'the copy is there',
      async () => (await storedIn(on.organization, mine.id, 'sent')).length > 0,
    )
    const [stored = Buffer.alloc(0)] = await storedIn(on.organization, mine.id, 'sent')
    assert.match((await opened(stored, mine.privateKey)).toString(), /^Subject: Quietly\r\n[\s\S]*Between us/m)
    await taken()
  })
})
