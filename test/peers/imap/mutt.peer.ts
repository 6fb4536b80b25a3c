import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { mutt, only } from './mutt.ts'
import { people } from './person.ts'

const { newcomer } = people()

test('mutt reads, marks, searches on the server, deletes, moves, drafts and renames', async () => {
  await using ada = await newcomer()
  await ada.receives('One', 'Two', 'Three', 'Four')
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

test('mutt is told of mail that comes while it waits', async () => {
  await using ada = await newcomer()
  await ada.receives('One')
  await using program = await mutt(ada, 'mutt')
  await program.shows('One')
  await ada.receives('Two')
  await program.shows('New mail in this mailbox')
  program.press('q')
  await program.ends()
})
