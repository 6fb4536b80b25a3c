import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { senderBehind } from '#test/world/letters/bounce-address.ts'
import { password, startSubmitting, submittingMailbox, written } from '#test/world/mail/submission.ts'
import { directoryOfFile, ofFile } from '#test/world/of-file.ts'

const run = promisify(execFile)
const directory = directoryOfFile()
const on = ofFile(await startSubmitting())
const ada = await submittingMailbox(on.organization, 'ada')

const smtplib = `
import smtplib, ssl, sys
port, tls, login, secret, message = sys.argv[1:]
context = ssl.create_default_context()
context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
client = smtplib.SMTP_SSL('localhost', port, context=context) if tls == 'yes' else smtplib.SMTP('localhost', port)
if tls == 'no': client.starttls(context=context)
client.login(login, secret)
client.sendmail(login, ['bob@there.example'], message.encode())
client.quit()
`

for (const [program, send] of [
  [
    'Python’s smtplib',
    (port: number, tls: boolean, message: string) =>
      run('/usr/bin/python3', ['-c', smtplib, `${port}`, tls ? 'yes' : 'no', ada.address, password, message]),
  ],
  [
    'curl',
    async (port: number, tls: boolean, message: string) => {
      const file = join(directory, String(port))
      await writeFile(file, message)
      const login = ['--ssl-reqd', '--insecure', '--user', `${ada.address}:${password}`]
      const envelope = ['--mail-from', ada.address, '--mail-rcpt', 'bob@there.example', '-T', file]
      await run('curl', ['-sS', `${tls ? 'smtps' : 'smtp'}://localhost:${port}/laptop.example`, ...login, ...envelope])
    },
  ],
] as const)
  test(`${program} sends by STARTTLS and by TLS from the start`, async () => {
    const { submission, submissionTls } = on.world
    for (const listener of [submission, submissionTls]) {
      await send(listener?.port ?? 0, listener === submissionTls, written(ada.address, { Bcc: 'eve@there.example' }))
      await on.world.outbound.processAll()
      const [sent, ...more] = on.sink.taken.splice(0)
      assert.deepEqual([senderBehind(sent?.from), sent?.to, more], [ada.address, ['bob@there.example'], []])
    }
  })
