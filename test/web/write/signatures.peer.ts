import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { byOperator } from '#/audit/actor.ts'
import { giveAccess } from '#/mailboxes/access/access.ts'
import { phone, wide } from '#test/web/browser.ts'
import { type Box, boxOf, reader } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'
import { signIn } from '#test/world/members/signed-in.ts'

const { world, browser } = await startSite()

const composer = (page: Page) =>
  page.getByRole('dialog').filter({ has: page.getByRole('button', { name: 'Send', exact: true }) })
const body = (page: Page) => composer(page).getByRole('textbox', { name: 'Message' })
const saved = (page: Page) => composer(page).getByText('Saved', { exact: true }).waitFor()

/** A member with a second mailbox to write from. */
async function twoBoxes(): Promise<{ box: Box; support: string }> {
  const box = await boxOf(world)
  const { id: mailboxId, address: support } = await box.organization.mailbox('support')
  const mailbox = { organizationId: box.organization.id, mailboxId }
  const sharing = { mailbox, memberId: box.memberId, shares: 'all', by: byOperator } as const
  await world.db.transaction().execute((tx) => giveAccess(tx, sharing, 'send'))
  return { box, support }
}

/** Gives the member a signature as the page of a profile does. */
async function sign({ organization, memberId }: Box, address: string, html: string): Promise<void> {
  const member = await signIn(organization, memberId)
  const body = { text: html.replace(/<[^>]*>/g, ''), html }
  assert.equal((await member.request('PUT', `/v1/me/signatures/${address}`, body)).status, 200)
}

/** The one message of a folder, once its text is as expected. */
async function only({ organization }: Box, mailbox: string, folder: string, expected: RegExp) {
  for (;;) {
    const query = `mailbox=${mailbox}&folder=${folder}`
    const { body: listed } = await organization.request('GET', `/v1/messages?${query}`)
    assert.ok(listed.data.length < 2, 'there is one message')
    const [first] = listed.data
    const whole = first && (await organization.request('GET', `/v1/messages/${first.uid}?${query}`)).body
    if (expected.test(whole?.text ?? '')) return whole
    // Requests are limited.
    await pause(200)
  }
}

/** On a phone React Aria hides a dialog until the keyboard has come up. */
async function shownAgain(page: Page): Promise<void> {
  const opacity = "getComputedStyle(document.querySelector('[role=dialog]').parentElement).opacity"
  while ((await page.evaluate(opacity)) !== '1') await page.evaluate('new Promise(requestAnimationFrame)')
}

for (const [what, options] of [
  ['a wide window', wide],
  ['a phone at night', { ...phone, colorScheme: 'dark' as const }],
] as const) {
  test(`a signature is written, shown, changed and removed in ${what}`, async () => {
    const { box, support } = await twoBoxes()
    await using visitor = await reader(browser, box, options)
    const { page } = visitor
    await visitor.open('/profile')
    const section = page.getByRole('region', { name: 'Signatures' })
    await section.getByRole('button', { name: `Add a signature for ${support}` }).waitFor()
    await section.getByRole('button', { name: `Add a signature for ${box.address}` }).click()
    const dialog = page.getByRole('dialog', { name: `Signature for ${box.address}` })
    const text = dialog.getByRole('textbox', { name: 'Signature' })
    await text.and(page.locator(':focus')).waitFor()
    assert.ok(await dialog.getByRole('button', { name: 'Save' }).isDisabled())
    await page.keyboard.type('Ada ')
    await page.keyboard.press('Control+b')
    await page.keyboard.type('Lovelace')
    await shownAgain(page)
    await visitor.assertSound()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    const shown = section.getByTitle(`Signature for ${box.address}`).contentFrame()
    await shown.getByText('Lovelace').waitFor()
    await visitor.assertSound()
    await section.getByRole('button', { name: `Edit the signature for ${box.address}` }).click()
    await text.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Delete')
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await section.getByRole('button', { name: `Add a signature for ${box.address}` }).waitFor()
  })
}

test('a new message ends with it, and one in which nothing else is leaves no draft', async () => {
  const { box } = await twoBoxes()
  const { address: bob } = await box.organization.mailbox('bob')
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await sign(box, box.address, '<div>Ada <strong>Lovelace</strong><script>alert(1)</script></div><div>Engines</div>')
  await visitor.open(`/mail/${encodeURIComponent(box.address)}/inbox`)
  await page.keyboard.press('c')
  await body(page).getByText('Ada Lovelace').waitFor()
  await page.getByLabel('To', { exact: true }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Escape')
  await composer(page).waitFor({ state: 'detached' })
  await page.keyboard.press('c')
  await body(page).getByText('Ada Lovelace').waitFor()
  await page.getByLabel('To', { exact: true }).and(page.locator(':focus')).waitFor()
  await page.keyboard.type(bob)
  await page.keyboard.press('Enter')
  await body(page).focus()
  await page.keyboard.type('Hello')
  await visitor.assertSound()
  await page.keyboard.press('Control+Enter')
  const { text, html } = await only(box, bob, 'inbox', /Hello/)
  assert.equal(text.trimEnd(), 'Hello\n\n-- \nAda Lovelace\nEngines')
  assert.match(html, /<div>--&nbsp;<\/div><div>Ada <strong>Lovelace<\/strong><\/div><div>Engines<\/div>$/)
  assert.equal((await box.states('drafts')).length, 0)
})

test('it stands above what is quoted, once, and follows the mailbox unless it was edited', async () => {
  const { box, support } = await twoBoxes()
  await box.receive({ subject: 'The engine', text: 'Is it oiled?' })
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await sign(box, box.address, '<div>Ada</div>')
  await sign(box, support, '<div>The desk</div>')
  const choose = async (address: string) => {
    await composer(page).getByRole('button', { name: 'From' }).click()
    await page.getByRole('option', { name: address }).click()
  }
  await visitor.open(`/mail/${encodeURIComponent(box.address)}/inbox`)
  await page.getByRole('row').first().getByRole('link').click()
  await page.getByRole('article', { name: 'Conversation' }).getByRole('region').first().waitFor()
  await page.keyboard.press('r')
  await body(page).and(page.locator(':focus')).waitFor()
  await page.keyboard.type('It is.')
  await only(box, box.address, 'drafts', /^It is\.\n\n-- \nAda\n\nOn .* wrote:\n> Is it oiled/)
  await saved(page)
  await page.keyboard.press('Escape')
  await composer(page).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Drafts' }).first().click()
  await page.getByRole('row').first().getByRole('link').click()
  await body(page).getByText('It is.', { exact: true }).waitFor()
  await choose(support)
  await body(page).getByText('The desk').waitFor()
  await only(box, box.address, 'drafts', /^It is\.\n\n-- \nThe desk\n\nOn .* wrote:\n> Is it oiled/)
  await body(page).focus()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(', at night')
  await choose(box.address)
  await only(box, box.address, 'drafts', /^It is\.\n\n-- \nThe desk, at night\n\nOn .* wrote:\n> Is it oiled/)
  assert.deepEqual([visitor.strayed, visitor.errors], [[], []])
})
