import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setPasswordHash } from '#/mail/mailboxes/operator-queries.ts'
import { ImapClient } from '#test/world/imap/client.ts'
import { password, passwordHash, Serving } from '#test/world/imap/serving.ts'
import { openPgpKey } from '#test/world/letters/openpgp-key.ts'
import { privateMailboxFor } from '#test/world/mail/private-mailbox.ts'

const serving = await Serving.ofFile()
const { address } = serving.mailbox
const plain = (login: string, secret = password) => Buffer.from(`\0${login}\0${secret}`).toString('base64')

for (const [what, commands, expected] of [
  ['LOGIN', [`LOGIN ${address} "${password}"`], /^OK \[CAPABILITY IMAP4rev/],
  ['LOGIN with the address in another case', [`LOGIN ${address.toUpperCase()} "${password}"`], /^OK/],
  ['PLAIN at once', [`AUTHENTICATE PLAIN ${plain(address)}`], /^OK \[CAPABILITY IMAP4rev/],
  ['a wrong password', [`LOGIN ${address} wrong`], /^NO \[AUTHENTICATIONFAILED\] Authentication credentials invalid/],
  ['nobody', [`LOGIN nobody@nowhere.test wrong`], /^NO \[AUTHENTICATIONFAILED\] Authentication credentials invalid/],
  [
    'a mechanism that is unknown',
    ['AUTHENTICATE CRAM-MD5'],
    /^NO \[CANNOT\] Unknown mechanism; supported: PLAIN LOGIN/,
  ],
  ['no base64', ['AUTHENTICATE PLAIN !'], /^BAD/],
  [
    'acting for another',
    [`AUTHENTICATE PLAIN ${Buffer.from(`eve@x.test\0${address}\0x`).toString('base64')}`],
    /^NO \[AUTHORIZATIONFAILED\]/,
  ],
  [
    'a second login',
    [`LOGIN ${address} "${password}"`, `LOGIN ${address} "${password}"`],
    /^BAD You are signed in already/,
  ],
  ['a command before the login', ['LIST "" *'], /^BAD Sign in first/],
  ['a command that nobody knows', ['FROBNICATE'], /^BAD Unknown command/],
  ['an inherited name', ['CONSTRUCTOR'], /^BAD Unknown command/],
  ['no TLS without a certificate', ['STARTTLS'], /^NO \[UNAVAILABLE\]/],
  ['NOOP before the login', ['NOOP'], /^OK/],
  ['NOOP after it', [`LOGIN ${address} "${password}"`, 'NOOP'], /^OK/],
  ['an argument too many', ['NOOP x'], /^BAD/],
] as const)
  test(`a session: ${what}`, async () => {
    await using client = await ImapClient.greeted(serving.port)
    let last = ''
    for (const command of commands) {
      const { status, text } = await client.run(command)
      last = `${status} ${text}`
    }
    assert.match(last, expected)
  })

test('nothing is read of what a program stores in a Private mailbox, alone or with others', async () => {
  const { world, organization } = serving
  const { id: mailboxId, address } = await privateMailboxFor(organization, 'secret', (await openPgpKey()).publicKey)
  await setPasswordHash(world.db, { organizationId: organization.id, mailboxId }, await passwordHash)
  await using client = await serving.signedIn({ address })
  const one = { literal: 'Subject: Ours\r\n\r\nalone\r\n' }
  for (const more of [[], [' ', one]]) assert.equal((await client.run('APPEND INBOX ', one, ...more)).status, 'OK')
  const said = await world.db.selectFrom('mail_contents').select(['subject', 'preview']).execute()
  assert.deepEqual(
    said,
    [1, 2, 3].map(() => ({ subject: '', preview: '' })),
  )
})

test('what works is announced before and after the login', async () => {
  await using client = await ImapClient.open(serving.port)
  const before = 'CAPABILITY IMAP4rev2 IMAP4rev1 LITERAL+ SASL-IR ID ENABLE AUTH=PLAIN AUTH=LOGIN'
  assert.match(await client.untagged(/^OK/), new RegExp(`^OK \\[${before.replace('+', '\\+')}\\] .* is ready$`))
  assert.deepEqual((await client.run('CAPABILITY')).untagged, [before])
  await client.run(`LOGIN ${address} "${password}"`)
  const { untagged } = await client.run('CAPABILITY')
  const words =
    'IMAP4rev2 IMAP4rev1 LITERAL+ SASL-IR ID ENABLE NAMESPACE UNSELECT IDLE CHILDREN LIST-EXTENDED LIST-STATUS LIST-MYRIGHTS ' +
    'SPECIAL-USE CREATE-SPECIAL-USE STATUS=SIZE ACL RIGHTS=texk UIDPLUS MULTIAPPEND MOVE REPLACE CONDSTORE QRESYNC ESEARCH ' +
    'SEARCHRES WITHIN PARTIAL SORT SORT=DISPLAY THREAD=REFERENCES THREAD=REFS THREAD=ORDEREDSUBJECT BINARY PREVIEW OBJECTID ' +
    'SAVEDATE APPENDLIMIT=26214400 QUOTA QUOTA=RES-STORAGE COMPRESS=DEFLATE UTF8=ACCEPT NOTIFY INPROGRESS'
  assert.deepEqual(untagged, [`CAPABILITY ${words}`])
})

for (const [what, command, times, expected] of [
  ['the third refused login', `LOGIN ${address} wrong`, 3, /^BYE Too many failed logins/],
  ['the last of too many commands that cannot be read', 'FROBNICATE', 20, /^BYE Too many commands/],
  ['LOGOUT', 'LOGOUT', 1, /^BYE Until next time/],
] as const)
  test(`a session ends after ${what}`, async () => {
    await using client = await ImapClient.greeted(serving.port)
    const said: string[] = []
    for (let n = 0; n < times; n++) said.push(...(await client.run(command)).untagged)
    said.push(await client.ended())
    assert.match(said.join(' ').replaceAll('* ', ''), expected)
  })

test('wrong passwords count as those of submission do, whatever they are given by', async () => {
  const { address: other } = await serving.newMailbox()
  const answers: string[] = []
  for (let n = 0; n < 12; n++) {
    await using client = await ImapClient.greeted(serving.port)
    const { text } = await client.run(
      n % 2 ? `LOGIN ${other} wrong${n}` : `AUTHENTICATE PLAIN ${plain(other, `wrong${n}`)}`,
    )
    answers.push(text)
  }
  assert.match(answers[9] ?? '', /^\[AUTHENTICATIONFAILED\]/)
  assert.match(answers[10] ?? '', /^\[LIMIT\] Too many failed logins; try again in an hour/)
})
