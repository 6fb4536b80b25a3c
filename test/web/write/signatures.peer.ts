import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeByEscape, dialog, focusOn, holds, openConversation, pathOf, row } from '#test/web/app.ts'
import { windows } from '#test/web/browser.ts'
import { body, composer, kept, recipients, send } from '#test/web/composer.ts'
import { Box, boxOf } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'
import { signIn } from '#test/world/members/signed-in.ts'

const { world, visit } = await startSite()

/** A member with a second mailbox to write from, and signatures of their mailboxes. */
async function signed(own?: string, others?: string): Promise<{ box: Box; support: string }> {
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
