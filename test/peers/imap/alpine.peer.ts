import assert from 'node:assert/strict'
import { test } from 'node:test'
import { people } from './person.ts'
import { Terminal } from './terminal.ts'

const { newcomer } = people()

test('alpine reads, flags, saves to another folder, expunges, searches on the server, drafts and renames', async () => {
  await using ada = await newcomer()
  await ada.receives('One', 'Two', 'Three', 'Four')
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
