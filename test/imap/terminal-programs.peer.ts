import assert from 'node:assert/strict'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Person, people } from './person.ts'
import { Terminal } from './terminal.ts'

const { newcomer } = people()

async function aerc(person: Person): Promise<Terminal> {
  const { address, password, tlsPort, certificate } = person.account
  await mkdir(join(person.home, '.config/aerc'), { recursive: true })
  await person.file(
    '.config/aerc/accounts.conf',
    `[ada]
source = imaps://${encodeURIComponent(address)}:${encodeURIComponent(password)}@localhost:${tlsPort}
default = INBOX
from = Ada <${address}>
postpone = Drafts
archive = Archive
`,
  )
  await person.file('.config/aerc/aerc.conf', '[compose]\neditor=sh -c "echo A draft >> $0"\n')
  return new Terminal(person, `env TERM=xterm SSL_CERT_FILE=${certificate} aerc`)
}

test('aerc flags, moves, deletes, makes a folder, searches, drafts, and is told of what comes', async () => {
  await using ada = await newcomer('One', 'Two', 'Three', 'Four')
  await using program = await aerc(ada)
  await program.shows('Four')
  for (const [command, answer] of [
    ['delete', 'eted.'],
    ['move Archive', 'to Archive'],
    ['flag', 'successful'],
    ['filter -b "About One"', 'One'],
    ['clear', 'Connected'],
    ['compose -H "To: bob@there.example" -H "Subject: Plan"', 'postpone'],
    ['postpone', 'postponed'],
  ] as const) {
    program.press(`:${command}\r`)
    await program.shows(answer)
  }
  await ada.receives('Fifth')
  await program.shows('Fifth')
  program.press(':mkdir Projects/Apollo\r')
  await program.shows('created')
  program.press(':quit\r')
  await program.ends()
  assert.deepEqual(await ada.has(), { Fifth: '', One: '', Two: 'starred' })
  assert.deepEqual(await ada.has('archive'), { Three: '' })
  assert.deepEqual(await ada.has('drafts'), { Plan: 'read' })
  assert.ok((await ada.folders()).includes('Projects/Apollo'))
})

test('alpine reads, flags, saves to another folder, expunges, searches on the server, drafts and renames', async () => {
  await using ada = await newcomer('One', 'Two', 'Three', 'Four')
  await ada.api('POST', `/v1/folders?mailbox=${ada.address}`, { name: 'Projects' })
  const { tlsPort, address, password } = ada.account
  const server = `{localhost:${tlsPort}/ssl/novalidate-cert/user=${address}}`
  const rc = await ada.file(
    'pinerc',
    `
personal-name=Ada
user-domain=there.example
inbox-path=${server}INBOX
folder-collections=Mail ${server}[]
postponed-folder=${server}Drafts
default-fcc=""
feature-list=quit-without-confirm,expunge-without-confirm,enable-flag-cmd,enable-aggregate-command-set
keywords=work
last-version-used=7.00
sort-key=arrival
`,
  )
  await using program = new Terminal(ada, `alpine -i -nowrite_password_cache -p ${rc}`)
  await program.shows('PASSWORD:')
  for (const [keys, ...answers] of [
    [`${password}\r`, 'Preserve password'],
    ['n', 'opened with 4 messages'],
    ['1\r*\x14', 'FLAG MAINTENANCE'],
    // The last of the flags is the keyword of the settings.
    ['\x1b[4~xe', 'Flagged message 1'],
    ['3\rd', 'Message 3 marked for deletion'],
    ['2\rs', 'SAVE'],
    // It says that it is done, and no more, of what has taken it a while.
    ['Archive\r', 'copied to folder', 'DONE]'],
    ['x', '2 messages expunged', 'DONE]'],
    [';taAbout Four\r', 'Select matched 1 message', 'DONE]'],
    ['ad', '1 selected message marked'],
    ['x', 'expunged', 'DONE]'],
    ['c', 'To AddrBk'],
    ['bob@there.example\r\r\rPlan\r', 'To Spell'],
    ['A draft', 'A draft'],
    ['\x0f', 'Writing postponed message'],
    ['<', 'FOLDER LIST'],
    ['wProjects\r', 'Projects'],
    ['r\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7fApollo\r', 'Renamed'],
  ] as const) {
    program.press(keys)
    await program.shows(...answers)
  }
  program.press('q')
  await program.ends()
  assert.deepEqual(await ada.has(), { One: 'work' })
  assert.deepEqual(await ada.has('archive'), { Two: '' })
  assert.deepEqual(Object.keys(await ada.has('drafts')), ['Plan'])
  assert.deepEqual(await ada.folders(), ['Apollo'])
})

/** Starts mutt, or neomutt, in INBOX over STARTTLS, where it presses these keys, as its `push` has them. */
async function mutt(person: Person, program: 'mutt' | 'neomutt', ...keys: readonly string[]): Promise<Terminal> {
  const { port, address, password, certificate } = person.account
  const pushed = keys.join('').replaceAll('"', '\\"')
  const rc = await person.file(
    'muttrc',
    `
set folder="imap://localhost:${port}/"
set spoolfile="imap://localhost:${port}/INBOX"
set postponed="=Drafts"
set imap_user="${address}"
set imap_pass="${password}"
set imap_idle=yes
set timeout=1
set mail_check=1
set ssl_force_tls=yes
set certificate_file="${certificate}"
set editor="echo A draft >>"
set record=""
set confirmappend=no
set confirmcreate=no
set delete=yes
set move=no
set mark_old=no
set beep=no
push "${pushed}"
`,
  )
  return new Terminal(person, `${program} -n -F ${rc}`)
}

/** Narrows the list to the messages with this subject. */
const only = (subject: string) => `<limit>~s ${subject}<enter>`

test('mutt reads, marks, searches on the server, deletes, moves, drafts and renames', async () => {
  await using ada = await newcomer('One', 'Two', 'Three', 'Four')
  await ada.change('One', { starred: true, add_labels: ['work'] })
  await ada.change('Two', { unread: false })
  await ada.api('POST', `/v1/folders?mailbox=${ada.address}`, { name: 'Projects' })
  await using program = await mutt(
    ada,
    'mutt',
    `<tag-pattern>~A<enter><tag-prefix><copy-message>${join(ada.home, 'seen')}<enter>`,
    `<untag-pattern>~A<enter><limit>=b "About Two"<enter><set-flag>!`,
    `${only('One')}<display-message><exit><clear-flag>!`,
    `${only('Three')}<delete-message>`,
    `${only('Four')}<save-message>=Archive<enter>`,
    '<limit>~A<enter><sync-mailbox>',
    '<mail>bob@there.example<enter>Plan<enter><postpone-message>',
    '<change-folder>?<search>Projects<enter><rename-mailbox><kill-line>Apollo<enter><exit>',
    '<quit>',
  )
  await program.ends()
  const seen = (await readFile(join(ada.home, 'seen'), 'utf8')).split(/^From .*\n/m).slice(1)
  const field = (text: string, name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1]
  assert.deepEqual(
    seen.map((text) => [field(text, 'Subject'), field(text, 'Status'), field(text, 'X-Status')]),
    [
      ['One', undefined, 'F'],
      ['Two', 'RO', undefined],
      ['Three', undefined, undefined],
      ['Four', undefined, undefined],
    ],
  )
  assert.match(seen[0] ?? '', /\n\nAbout One\n/)
  assert.deepEqual(await ada.has(), { One: 'read work', Two: 'read starred' })
  assert.deepEqual(await ada.has('archive'), { Four: '' })
  assert.deepEqual(await ada.has('drafts'), { Plan: '' })
  assert.deepEqual(await ada.folders(), ['Apollo'])
})

test('neomutt labels, which mutt cannot, and does what mutt does', async () => {
  await using ada = await newcomer('One', 'Two', 'Three', 'Four', 'Five')
  await ada.change('One', { add_labels: ['work'] })
  await using program = await mutt(
    ada,
    'neomutt',
    `<limit>~Y work<enter><set-flag>!`,
    `${only('Two')}<modify-labels>work<enter>`,
    `${only('Three')}<delete-message>`,
    `${only('Four')}<save-message>=Archive<enter>`,
    `<limit>=b "About Five"<enter><display-message><exit>`,
    '<limit>~A<enter><sync-mailbox>',
    '<mail>bob@there.example<enter>Plan<enter><postpone-message>',
    '<quit>',
  )
  await program.ends()
  assert.deepEqual(await ada.has(), { Five: 'read', One: 'starred work', Two: 'work' })
  assert.deepEqual(await ada.has('archive'), { Four: '' })
  assert.deepEqual(await ada.has('drafts'), { Plan: '' })
})
