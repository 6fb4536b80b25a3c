import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { type Box, boxOf, reader } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'

const { world, browser } = await startSite()

const composer = (page: Page) =>
  page.getByRole('dialog').filter({ has: page.getByRole('button', { name: 'Send', exact: true }) })
const recipients = (page: Page) => page.getByLabel('To', { exact: true })

async function forwarding(page: Page, box: Box): Promise<void> {
  await box.receive({ subject: 'The plan', text: 'See it.' })
  await page.goto(`/mail/${encodeURIComponent(box.address)}/inbox`)
  await page.getByRole('row').first().getByRole('link').click()
  await page.getByRole('article', { name: 'Conversation' }).getByRole('region').first().waitFor()
  await page.keyboard.press('f')
  await recipients(page).and(page.locator(':focus')).waitFor()
}

/** The unsaved text in the browser's storage. */
const kept = `new Promise((answer) => {
  indexedDB.open('writing', 1).onsuccess = ({ target: { result: db } }) => {
    db.transaction('writings').objectStore('writings').getAll().onsuccess = ({ target: { result } }) => {
      db.close()
      answer(JSON.stringify(result))
    }
  }
})`

/** Reloads the page once the typed text is stored. */
async function reload(page: Page, typed: string): Promise<void> {
  page.on('dialog', (dialog) => void dialog.accept())
  while (!String(await page.evaluate(kept)).includes(typed)) await pause(100)
  await page.reload()
  await composer(page).waitFor()
}

test('a forward to whom somebody chose is kept over a reload, and is a draft once it is closed', async () => {
  const box = await boxOf(world)
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await forwarding(page, box)
  await page.keyboard.type('bob@peer.example,')
  await composer(page).getByText('Saved', { exact: true }).waitFor()
  await reload(page, 'bob@peer.example')
  await composer(page).getByText('bob@peer.example').waitFor()
  await recipients(page).focus()
  await page.keyboard.press('Escape')
  await composer(page).waitFor({ state: 'detached' })
  while ((await box.states('drafts')).length === 0) await pause(100)
})

test('a forward that nobody has changed leaves nothing', async () => {
  const box = await boxOf(world)
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await forwarding(page, box)
  await page.keyboard.press('Escape')
  await composer(page).waitFor({ state: 'detached' })
  await page.reload()
  await page.getByRole('article', { name: 'Conversation' }).getByRole('region').first().waitFor()
  assert.equal(await composer(page).count(), 0)
  assert.deepEqual(await box.states('drafts'), [])
})

test('a recipient who is half typed is there after a reload', async () => {
  const box = await boxOf(world)
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await visitor.open(`/mail/${encodeURIComponent(box.address)}/inbox`)
  await page.keyboard.press('c')
  await recipients(page).and(page.locator(':focus')).waitFor()
  await page.getByRole('button', { name: 'Cc and Bcc' }).click()
  await page.getByLabel('Bcc', { exact: true }).focus()
  await page.keyboard.type('bob@pe')
  await reload(page, 'bob@pe')
  assert.equal(await page.getByLabel('Bcc', { exact: true }).inputValue(), 'bob@pe')
})

test('a draft with formatting that the editor does not know says so, and keeps it until its text is changed', async () => {
  const box = await boxOf(world)
  const { address: mailbox, organization } = box
  const table = '<table border="1"><tbody><tr><td>Oil</td><td>2 l</td></tr></tbody></table>'
  const draft = { mailbox, to: ['bob@peer.example'], text: 'Oil 2 l', html: `<p>We need</p>${table}` }
  const saved = async (subject: string) => {
    const { body } = await organization.request('GET', `/v1/drafts?mailbox=${mailbox}`)
    const { id } = body.data.find((one: { subject: string }) => one.subject === subject)
    return (await organization.request('GET', `/v1/drafts/${id}`)).body
  }
  for (const [subject, html] of [
    ['Foreign', draft.html],
    ['Usual', '<div>We need <b>oil</b></div><ul><li>2 l</li></ul>'],
  ])
    assert.equal((await organization.request('POST', '/v1/drafts', { ...draft, subject, html })).status, 201)
  await using visitor = await reader(browser, box)
  const { page } = visitor
  const warning = composer(page).getByText('Another program gave this draft formatting')
  const text = composer(page).getByRole('textbox', { name: 'Message' })
  await visitor.open(`/mail/${encodeURIComponent(mailbox)}/drafts`)
  await page.getByRole('row', { name: /Usual/ }).getByRole('link').click()
  await text.getByText('2 l').waitFor()
  assert.equal(await warning.count(), 0)
  await composer(page).getByRole('button', { name: 'Close' }).click()
  await page
    .getByRole('row', { name: /Foreign/ })
    .getByRole('link')
    .click()
  await warning.waitFor()
  await visitor.assertSoundByDayAndNight()
  await page.getByLabel('Subject').fill('Foreign, still')
  await composer(page).getByText('Saved', { exact: true }).waitFor()
  while ((await box.states('drafts')).every(({ subject }) => subject !== 'Foreign, still')) await pause(100)
  assert.ok((await saved('Foreign, still')).html.includes('<td>2 l</td>'))
})

test('what is written as plain text arrives so', async () => {
  const box = await boxOf(world)
  const { address: bob } = await box.organization.mailbox('bob')
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await visitor.open(`/mail/${encodeURIComponent(box.address)}/inbox`)
  await page.keyboard.press('c')
  await recipients(page).and(page.locator(':focus')).waitFor()
  await page.keyboard.type(`${bob},`)
  await page.getByLabel('Subject').fill('Plain')
  await composer(page).getByRole('button', { name: 'Write as plain text' }).click()
  await composer(page).getByRole('textbox', { name: 'Message' }).fill('1 < 2 *and* no more')
  await composer(page).getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('alertdialog').filter({ hasText: 'Message sent' }).first().waitFor()
  const list = `/v1/messages?mailbox=${bob}`
  let found: { uid: number }[] = []
  for (; found.length === 0; await pause(100)) found = (await box.organization.request('GET', list)).body.data
  const { body } = await box.organization.request('GET', `/v1/messages/${found[0]?.uid}?mailbox=${bob}`)
  assert.deepEqual([body.text.trim(), body.html], ['1 < 2 *and* no more', null])
})
