import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
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
  await using ada = await newcomer()
  await ada.receives('One', 'Two', 'Three', 'Four')
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
