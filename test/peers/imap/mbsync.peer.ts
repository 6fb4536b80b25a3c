import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { Maildirs } from './maildir.ts'
import { type Person, people } from './person.ts'

const { newcomer } = people()

async function copyOf(person: Person): Promise<{ copy: Maildirs; sync: () => Promise<string> }> {
  const { tlsPort, address, password, certificate } = person.account
  const copy = new Maildirs(join(person.home, 'mail'))
  await copy.make('')
  const rc = await person.file(
    'mbsyncrc',
    `
IMAPStore server
Host localhost
Port ${tlsPort}
User ${address}
Pass "${password}"
SSLType IMAPS
CertificateFile ${certificate}

MaildirStore here
Path ${person.home}/mail/
Inbox ${person.home}/mail/INBOX
SubFolders Verbatim

Channel all
Far :server:
Near :here:
Patterns *
Create Both
Remove Both
Expunge Both
SyncState *
`,
  )
  return { copy, sync: () => person.run('mbsync', ['-q', '-c', rc, '-a']) }
}

test('mbsync has what the API keeps, and the API what is done to the copy', async () => {
  await using ada = await newcomer()
  await ada.receives('One', 'Two', 'Three', 'Four', 'Five')
  await ada.change('One', { unread: false, starred: true, add_labels: ['work'] })
  await ada.change('Two', { folder: 'archive' })
  const { copy, sync } = await copyOf(ada)
  await sync()
  assert.deepEqual(await copy.flags(), { Five: '', Four: '', One: 'FS', Three: '' })
  assert.deepEqual(await copy.flags('Archive'), { Two: '' })

  await copy.mark('Three', 'FRS')
  await copy.mark('Four', 'T')
  await copy.mark('Five', '', 'Archive')
  await copy.make('Projects')
  await copy.write('Six', 'Projects')
  await copy.write('Plan', 'Drafts', 'DS')
  await ada.change('One', { starred: false })
  await sync()
  assert.deepEqual(await ada.has(), { One: 'read work', Three: 'read starred' })
  assert.deepEqual(await ada.has('archive'), { Five: '', Two: '' })
  assert.deepEqual(await ada.has('Projects'), { Six: '' })
  assert.deepEqual(await ada.has('drafts'), { Plan: 'read' })
  assert.deepEqual(await copy.flags(), { One: 'S', Three: 'FRS' })
})

test('mbsync and the API at once: both have the same in the end', async () => {
  await using ada = await newcomer()
  const before = Array.from({ length: 10 }, (_, n) => `Before ${n}`)
  await ada.receives(...before)
  const { copy, sync } = await copyOf(ada)
  let busy = true
  const use = async () => {
    for (const [n, subject] of before.entries()) {
      await ada.receives(`Meanwhile ${n}`)
      await ada.change(subject, n % 3 ? { starred: true } : { folder: 'archive' })
    }
    busy = false
  }
  const used = use()
  while (busy) await sync()
  await used
  await sync()
  for (const [folder, path, count] of [
    ['inbox', 'INBOX', 16],
    ['archive', 'Archive', 4],
  ] as const) {
    const ours = Object.entries(await ada.has(folder)).map(([subject, marks]) => [subject, marks === 'starred'])
    const theirs = Object.entries(await copy.flags(path)).map(([subject, flags]) => [subject, flags.includes('F')])
    assert.deepEqual(theirs, ours)
    assert.equal(ours.length, count)
  }
})
