import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mutt, only } from './mutt.ts'
import { people } from './person.ts'

const { newcomer } = people()

test('neomutt labels, which mutt cannot, and does what mutt does', async () => {
  await using ada = await newcomer()
  await ada.receives('One', 'Two', 'Three', 'Four', 'Five')
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
