import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import {
  body,
  closeByEscape,
  composer,
  conversation,
  dialog,
  focusOn,
  holds,
  kept,
  openConversation,
  pathOf,
  recipients,
  row,
  send,
} from '#test/web/app.ts'
import { windows } from '#test/web/browser.ts'
import { Box, boxOf } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'
import { signIn } from '#test/world/members/signed-in.ts'

const { world, visit, arrive } = await startSite()

async function forwarding() {
  const box = await boxOf(world)
  await box.receive({ subject: 'The plan', text: 'See it.' })
  const { page } = await visit(box, pathOf(box))
  await openConversation(page, 'The plan')
  await page.keyboard.press('f')
  await focusOn(recipients(page))
  return { box, page }
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
  assert.equal((await box.states('drafts')).length, 1)
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
  const { page } = await arrive(pathOf)
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

/** A member with a second mailbox to write from, and signatures of their mailboxes. */
async function signed(own?: string, others?: string) {
  const box = await boxOf(world)
  const { id, address: support } = await box.organization.mailbox('support')
  await new Box({ ...box, id, address: support }).share(box.memberId, 'send')
  const member = await signIn(box.organization, box.memberId)
  for (const [address, html] of [
    [box.address, own],
    [support, others],
  ] as const) {
    if (html === undefined) continue
    const signature = { text: html.replace(/<[^>]*>/g, ''), html }
    assert.equal((await member.request('PUT', `/v1/me/signatures/${address}`, signature)).status, 200)
  }
  return { box, support }
}

for (const [what, options] of windows)
  test(`a signature is written, shown, changed and removed in ${what}`, async () => {
    const { box, support } = await signed()
    const { visitor, page } = await visit(box, '/profile', options)
    const section = page.getByRole('region', { name: 'Signatures' })
    await section.getByRole('button', { name: `Add a signature for ${support}` }).waitFor()
    await section.getByRole('button', { name: `Add a signature for ${box.address}` }).click()
    const open = dialog(page, `Signature for ${box.address}`)
    const text = open.getByRole('textbox', { name: 'Signature' })
    await focusOn(text)
    assert.ok(await open.getByRole('button', { name: 'Save' }).isDisabled())
    await page.keyboard.type('Ada ')
    await page.keyboard.press('Control+b')
    await page.keyboard.type('Lovelace')
    // On a phone React Aria hides a dialog until the keyboard has come up.
    await holds(page, "getComputedStyle(document.querySelector('[role=dialog]').parentElement).opacity === '1'")
    await visitor.assertSound()
    await open.getByRole('button', { name: 'Save' }).click()
    await open.waitFor({ state: 'detached' })
    await section.getByTitle(`Signature for ${box.address}`).contentFrame().getByText('Lovelace').waitFor()
    await visitor.assertSound()
    await section.getByRole('button', { name: `Edit the signature for ${box.address}` }).click()
    await focusOn(text)
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Delete')
    await open.getByRole('button', { name: 'Remove' }).click()
    await section.getByRole('button', { name: `Add a signature for ${box.address}` }).waitFor()
  })

test('a new message ends with it, and one in which nothing else is leaves no draft', async () => {
  const html = '<div>Ada <strong>Lovelace</strong><script>alert(1)</script></div><div>Engines</div>'
  const { box } = await signed(html)
  const { address: bob } = await box.organization.mailbox('bob')
  const { visitor, page } = await visit(box)
  await visitor.takeClock()
  await visitor.open(pathOf(box))
  for (const isLeft of [true, false]) {
    await page.keyboard.press('c')
    await body(page).getByText('Ada Lovelace').waitFor()
    await focusOn(recipients(page))
    if (isLeft) await closeByEscape(page, composer(page))
  }
  await page.keyboard.type(`${bob},`)
  await body(page).focus()
  await page.keyboard.type('Hello')
  await visitor.assertSound()
  await send(page)
  const arrived = await box.newest({ of: bob })
  assert.equal(arrived.text.trimEnd(), 'Hello\n\n-- \nAda Lovelace\nEngines')
  assert.match(arrived.html ?? '', /<div>--&nbsp;<\/div><div>Ada <strong>Lovelace<\/strong><\/div><div>Engines<\/div>$/)
  assert.deepEqual(await box.states('drafts'), [])
})

test('it stands above what is quoted, once, and follows the mailbox unless it was edited', async () => {
  const { box, support } = await signed('<div>Ada</div>', '<div>The desk</div>')
  await box.receive({ subject: 'The engine', text: 'Is it oiled?' })
  const { visitor, page } = await visit(box)
  /** Waits until the draft is saved with this above the quotation. */
  const isSaved = async (text: string) => {
    await kept(page)
    assert.match((await box.newest({ folder: 'drafts' })).text, new RegExp(`^${text}\n\nOn .* wrote:\n> Is it oiled`))
  }
  const from = async (address: string) => {
    await composer(page).getByRole('button', { name: 'From' }).click()
    await page.getByRole('option', { name: address }).click()
    await composer(page).getByText('Saving…', { exact: true }).waitFor()
  }
  await visitor.open(pathOf(box))
  await openConversation(page, 'The engine')
  await page.keyboard.press('r')
  await focusOn(body(page))
  await page.keyboard.type('It is.')
  await isSaved('It is\\.\n\n-- \nAda')
  await page.keyboard.press('Escape')
  await composer(page).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Drafts' }).first().click()
  await row(page, /./).getByRole('link').click()
  await body(page).getByText('It is.', { exact: true }).waitFor()
  await from(support)
  await body(page).getByText('The desk').waitFor()
  await isSaved('It is\\.\n\n-- \nThe desk')
  await body(page).focus()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(', at night')
  await from(box.address)
  await isSaved('It is\\.\n\n-- \nThe desk, at night')
  await visitor.assertFits()
})

for (const [what, options] of windows)
  test(`recipients are suggested from the mailbox’s mail in ${what}`, async () => {
    const box = await boxOf(world)
    await box.receive({ from: 'Zoë Miller <zoe@books.example>', subject: 'The books' })
    await box.receive({ from: 'Zara <zara@books.example>', subject: 'More books' })
    await box.receive({ subject: 'No books' })
    const { visitor, page } = await visit(box, '/', options)
    await page.keyboard.press('c')
    const to = page.getByRole('combobox', { name: 'To', exact: true })
    const listed = page.getByRole('listbox', { name: 'To: suggestions' }).getByRole('option')
    await focusOn(to)
    await page.keyboard.type('z')
    await listed.nth(1).waitFor()
    assert.equal(await to.getAttribute('aria-expanded'), 'true')
    await visitor.assertSound()
    await page.keyboard.press('Escape')
    await listed.first().waitFor({ state: 'detached' })
    await page.keyboard.type('o')
    await listed.filter({ hasText: 'zoe@books.example' }).and(page.locator('[aria-selected=true]')).waitFor()
    assert.equal(await to.getAttribute('aria-activedescendant'), await listed.first().getAttribute('id'))
    await page.keyboard.press('Enter')
    await page.getByRole('row', { name: 'Zoë Miller <zoe@books.example>' }).waitFor()
    await page.keyboard.type('books')
    await listed.filter({ hasText: 'zara@books.example' }).click()
    await page.getByRole('row', { name: 'Zara <zara@books.example>' }).waitFor()
    assert.equal(await to.inputValue(), '')
    // Chosen people are not suggested again; a complete typed address is used as it is.
    await page.keyboard.type('zoe')
    assert.equal(await listed.count(), 0)
    await to.fill('zoe@elsewhere.example')
    await page.keyboard.press('Enter')
    await page.getByRole('row', { name: 'zoe@elsewhere.example' }).waitFor()
    await to.fill('an')
    await listed.first().waitFor()
    await page.keyboard.press('Tab')
    await page.getByRole('row', { name: 'Ann <ann@peer.example>' }).waitFor()
  })
