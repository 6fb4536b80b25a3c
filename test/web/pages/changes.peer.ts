import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openConversation, pathOf, says } from '#test/web/app.ts'
import { boxOf } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'

const { world, visit } = await startSite()

test('recent changes are listed and undone, and what is merely read is not among them', async () => {
  const box = await boxOf(world)
  const { visitor, page } = await visit(box)
  for (const subject of ['The engine', 'The moon']) await box.receive({ subject, text: 'Look.' })
  await visitor.open(pathOf(box))
  const read = page.waitForResponse((response) => response.request().method() === 'PATCH')
  await openConversation(page, 'The engine')
  await read
  await visitor.open('/changes')
  await page.getByText('No changes').waitFor()
  const uids = (await box.states()).map(({ uid }) => uid)
  await box.change(uids, { unread: true })
  await box.change(uids, { starred: true })
  await box.change(uids, { folder: 'archive', unread: false })
  await visitor.open('/changes')
  await page.getByText('2 messages starred').waitFor()
  await visitor.assertSoundAnywhere()
  await page.getByRole('button', { name: 'Undo 2 messages moved to Archive, marked as read' }).click()
  await says(page, 'Undone')
  await page.getByText('Undone: 2 messages moved to Inbox, marked as unread').waitFor()
  const states = (await box.states()).map(({ unread, starred }) => ({ unread, starred }))
  assert.deepEqual(states, Array(2).fill({ unread: true, starred: true }))
  await visitor.assertSound()
})
