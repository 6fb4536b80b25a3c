import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** What Python's IMAP client sees after it has logged in: the subjects in INBOX, or why it could not. */
export async function seenBy(port: number, login: string, secret: string): Promise<string[] | string> {
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
  return JSON.parse((await promisify(execFile)('/usr/bin/python3', ['-c', script, login, secret])).stdout)
}
