import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

export interface Login {
  readonly host?: string
  /** For STARTTLS. */
  readonly port: number
  readonly login: string
  readonly password: string
}

/** A mail program that has logged in and asks for news; `ended` resolves when the server has had enough of it. */
export async function loggedIn({
  host = '127.0.0.1',
  port,
  login,
  password,
}: Login): Promise<{ ended: Promise<unknown> }> {
  const script = `
import imaplib, ssl, sys, time
host, port, login, password = sys.argv[1:5]
client = imaplib.IMAP4(host, int(port))
context = ssl.create_default_context()
context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
client.starttls(context)
client.login(login, password)
client.select('INBOX')
print('in', flush=True)
try:
    while True:
        client.noop()
        time.sleep(0.05)
except (imaplib.IMAP4.abort, OSError) as error:
    print('ended', flush=True)
`
  const words = ['-c', script, host, `${port}`, login, password]
  const program = spawn('/usr/bin/python3', words, { stdio: ['ignore', 'pipe', 'inherit'] })
  const said = createInterface(program.stdout)[Symbol.asyncIterator]()
  assert.equal((await said.next()).value, 'in')
  return { ended: said.next().then(({ value }) => assert.equal(value, 'ended')) }
}
