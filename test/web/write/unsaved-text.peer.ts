import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { conversation, focusOn, holds, openConversation, pathOf, row } from '#test/web/app.ts'
import { body, composer, kept, recipients, send } from '#test/web/composer.ts'
import { boxOf, reader } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'

const { world, browser, visit } = await startSite()

async function forwarding() {
  const box = await boxOf(world)
  await box.receive({ subject: 'The plan', text: 'See it.' })
  const visitor = await reader(browser, box)
  const { page } = visitor
  await visitor.open(pathOf(box))
  await openConversation(page, 'The plan')
  await page.keyboard.press('f')
  await focusOn(recipients(page))
  return { box, visitor, page }
}

/** Whether the browser has stored a text. */
const hasStored = (text: string) => `new Promise((answer) => {
  indexedDB.open('writing', 1).onsuccess = ({ target: { result: db } }) => {
    db.transaction('writings').objectStore('writings').getAll().onsuccess = ({ target: { result } }) => {
      db.close()
      answer(JSON.stringify(result).includes('${text}'))
    }
  }
})`

/** Reloads the page once the typed text is stored. */
async function reload(page: Page, typed: string): Promise<void> {
  page.on('dialog', (dialog) => void dialog.accept())
  await holds(page, hasStored(typed))
  await page.reload()
  await composer(page).waitFor()
}

test('a forward to whom somebody chose is kept over a reload, and is a draft once it is closed', async () => {
  const { box, page } = await forwarding()
  await page.keyboard.type('bob@peer.example,')
  await kept(page)
  await reload(page, 'bob@peer.example')
  await composer(page).getByText('bob@peer.example').waitFor()
  await recipients(page).focus()
  await page.keyboard.press('Escape')
  await composer(page).waitFor({ state: 'detached' })
  assert.deepEqual((await box.states('drafts')).length, 1)
})

test('a forward that nobody has changed leaves nothing', async () => {
  const { box, page } = await forwarding()
  await page.keyboard.press('Escape')
  await composer(page).waitFor({ state: 'detached' })
  await page.reload()
  await conversation(page).getByRole('region').first().waitFor()
  assert.equal(await composer(page).count(), 0)
  assert.deepEqual(await box.states('drafts'), [])
})

test('a recipient who is half typed is there after a reload', async () => {
  const box = await boxOf(world)
  const { page } = await visit(box, pathOf(box))
  await page.keyboard.press('c')
  await focusOn(recipients(page))
  await page.getByRole('button', { name: 'Cc and Bcc' }).click()
  await page.getByLabel('Bcc', { exact: true }).focus()
  await page.keyboard.type('bob@pe')
  await reload(page, 'bob@pe')
  assert.equal(await page.getByLabel('Bcc', { exact: true }).inputValue(), 'bob@pe')
})

test('a draft with formatting that the editor does not know says so, and keeps it until its text is changed', async () => {
  const box = await boxOf(world)
  const table = '<table border="1"><tbody><tr><td>Oil</td><td>2 l</td></tr></tbody></table>'
  for (const [subject, html] of [
    ['Foreign', `<p>We need</p>${table}`],
    ['Usual', '<div>We need <b>oil</b></div><ul><li>2 l</li></ul>'],
  ])
    await box.make('/v1/drafts', { mailbox: box.address, to: ['bob@peer.example'], text: 'Oil 2 l', subject, html })
  const { visitor, page } = await visit(box)
  const warning = composer(page).getByText('Another program gave this draft formatting')
  await visitor.open(pathOf(box, 'drafts'))
  await row(page, 'Usual').getByRole('link').click()
  await body(page).getByText('2 l').waitFor()
  assert.equal(await warning.count(), 0)
  await composer(page).getByRole('button', { name: 'Close' }).click()
  await row(page, 'Foreign').getByRole('link').click()
  await warning.waitFor()
  await visitor.assertSoundAnywhere()
  const saved = page.waitForResponse((response) => response.request().method() === 'PATCH')
  await page.getByLabel('Subject').fill('Foreign, still')
  await saved
  const { subject, html } = await box.newest({ folder: 'drafts' })
  assert.equal(subject, 'Foreign, still')
  assert.ok(html?.includes('<td>2 l</td>'))
})

test('what is written as plain text arrives so', async () => {
  const box = await boxOf(world)
  const { address: bob } = await box.organization.mailbox('bob')
  const { visitor, page } = await visit(box)
  await visitor.takeClock()
  await visitor.open(pathOf(box))
  await page.keyboard.press('c')
  await focusOn(recipients(page))
  await page.keyboard.type(`${bob},`)
  await page.getByLabel('Subject').fill('Plain')
  await composer(page).getByRole('button', { name: 'Write as plain text' }).click()
  await body(page).fill('1 < 2 *and* no more')
  await send(page)
  const { text, html } = await box.newest({ of: bob })
  assert.deepEqual([text.trim(), html], ['1 < 2 *and* no more', null])
})
