import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { senderBehind } from '#test/mail/bounce-address.ts'
import { subjectsIn } from '#test/mail/letter.ts'
import { password, startSubmitting, submittingMailbox, written } from '#test/world/mail/submission.ts'

const run = promisify(execFile)

const on = await startSubmitting()
after(() => on[Symbol.asyncDispose]())
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
client = imaplib.IMAP4('127.0.0.1', ${on.world.imap?.port})
context = ssl.create_default_context()
context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
client.starttls(context)
client.login(sys.argv[1], sys.argv[2])
assert client.append('Sent', '(\\\\Seen)', None, sys.argv[3].encode())[0] == 'OK'
`
  await run('/usr/bin/python3', ['-c', script, login, password, message])
}

async function taken() {
  await on.world.outbound.processAll()
  return on.sink.taken.splice(0)
}

const doors = [
  { port: on.world.submission?.port ?? 0, tls: false },
  { port: on.world.submissionTls?.port ?? 0, tls: true },
]

test('Python sends by STARTTLS and by TLS from the start', async () => {
  for (const door of doors) {
    const how = { ...door, login: ada.address, from: ada.address, to: 'bob@there.example' }
    assert.equal(await sentBy(how, written(ada.address, { Bcc: 'eve@there.example' })), 'sent')
    const [sent, ...more] = await taken()
    assert.deepEqual([senderBehind(sent?.from), sent?.to, more], [ada.address, ['bob@there.example'], []])
    assert.doesNotMatch(sent?.bytes.toString() ?? '', /^bcc:/im)
  }
})

test('curl sends', async () => {
  for (const { port, tls } of doors) {
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
  for (const door of doors) {
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

test('a program that stores its copy in Sent has one, and so has one that does not', async () => {
  const { address } = await submittingMailbox(on.organization, 'cy')
  const how = { ...(doors[0] ?? assert.fail()), login: address, from: address, to: 'bob@there.example' }
  const stores = written(address, { Subject: 'Stored by its program' })
  assert.equal(await sentBy(how, stores), 'sent')
  assert.equal(await sentBy(how, written(address, { Subject: 'Stored by nobody' })), 'sent')
  await appendedBy(address, stores)
  const sent = await subjectsIn(on.organization, address, 'sent')
  assert.deepEqual(sent.toSorted(), ['Stored by its program', 'Stored by nobody'].toSorted())
  await taken()
})
