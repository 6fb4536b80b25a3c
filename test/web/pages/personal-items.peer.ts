import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { each } from '#test/each.ts'
import { choose, closeByEscape, dialog, list, openConversation, pathOf, press } from '#test/web/app.ts'
import { phone, windows } from '#test/web/browser.ts'
import { boxOf, reader } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'
import { signIn } from '#test/world/members/signed-in.ts'

const { world, browser, visit } = await startSite()

const own = (page: Page) => page.getByRole('main').getByRole('region', { name: 'Your own' })

/** A member, with labels of their organization and their own. */
async function furnished() {
  const box = await boxOf(world, { role: 'member' })
  const ada = await signIn(box.organization, box.memberId)
  const ofAll = [await box.make('/v1/labels', { name: 'Invoices' }), await box.make('/v1/labels', { name: 'Gone' })]
  await box.make('/v1/me/labels', { name: 'Tea', colour: 'amber' }, ada)
  return { box, ada, gone: ofAll[1].id }
}

test('a member has labels of their own beside those of the organization', async () => {
  const { box, ada } = await furnished()
  const { visitor, page } = await visit(box, '/labels')
  await own(page).getByRole('button', { name: 'New own label' }).click()
  // The organization has one of that name, too.
  await dialog(page).getByLabel('Name').fill('Invoices')
  await press(page, 'Create')
  await own(page)
    .getByRole('row', { name: /Invoices.*invoices-2/ })
    .waitFor()
  await dialog(page).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Edit Tea' }).click()
  await dialog(page).getByLabel('Name').fill('Tea time')
  await press(page, 'Save')
  await own(page)
    .getByRole('row', { name: /Tea time/ })
    .waitFor()
  await visitor.assertSoundAnywhere()
  const { body } = await ada.request('GET', '/v1/me/labels')
  assert.deepEqual(each(body.data, 'name'), ['Tea time', 'Invoices'])
})

test('many senders are blocked by pasting them, with a result for each', async () => {
  const { box, ada } = await furnished()
  await box.make('/v1/me/blocked-senders', { pattern: '@loud.example' }, ada)
  const { visitor, page } = await visit(box, '/blocked-senders', phone)
  await own(page).getByRole('button', { name: 'Block for yourself' }).click()
  const field = dialog(page).getByLabel('Addresses or domains')
  await field.fill('one@ads.example\nno address\n@loud.example, TWO@ads.example')
  await press(page, 'Block 5')
  const results = dialog(page).getByRole('list', { name: 'Results' }).getByRole('listitem')
  await results.nth(4).waitFor()
  for (const [at, said] of [
    ...[/^one@ads\.example Blocked$/, /^no pattern /, /^address pattern /, /^@loud\.example Was blocked already$/],
    /^TWO@ads\.example Blocked as two@ads\.example$/,
  ].entries())
    assert.match((await results.nth(at).textContent()) ?? '', said)
  assert.equal(await field.inputValue(), 'no\naddress')
  await visitor.assertSound()
  await field.fill('three@ads.example')
  await dialog(page).getByRole('button', { name: 'Block' }).click()
  for (const name of ['one', 'two', 'three']) await own(page).getByText(`${name}@ads.example`).waitFor()
})

for (const [what, options] of windows)
  test(`labels of the organization, one’s own and keywords of neither are told apart in ${what}`, async () => {
    const { box, ada, gone } = await furnished()
    await box.receive({ subject: 'The kettle', text: 'It boils.' })
    const [{ uid = 0 } = {}] = await box.states()
    const labelled = { uids: [uid], add_labels: ['invoices', 'tea', 'gone'] }
    assert.equal((await ada.request('PATCH', `/v1/messages?mailbox=${box.address}`, labelled)).status, 200)
    await box.organization.request('DELETE', `/v1/labels/${gone}`)

    const { visitor, page } = await visit(box, pathOf(box), options)
    const row = list(page).getByRole('row', { name: /labelled .*Invoices.*The kettle|The kettle.*labelled/ })
    assert.match((await row.getAttribute('aria-label')) ?? '', /labelled (.*, )?Tea \(your own\)/)
    await row.getByText('Tea (your own)').waitFor()
    await openConversation(page, 'The kettle')
    const heading = page.getByRole('heading', { level: 1, name: 'The kettle' })
    await heading.getByText('gone').waitFor()
    const shapes: string[] = []
    for (const text of ['Invoices', 'Tea (your own)', 'gone'])
      shapes.push(
        await heading.getByText(text, { exact: true }).evaluate((chip) => {
          const { borderTopLeftRadius, borderTopStyle } = (
            globalThis as unknown as { getComputedStyle: (of: unknown) => Record<string, string> }
          ).getComputedStyle(chip)
          return `${borderTopLeftRadius} ${borderTopStyle}`
        }),
      )
    assert.equal(new Set(shapes).size, 3, shapes.join(', '))
    await visitor.assertSound()
    await page.getByRole('button', { name: 'Label', exact: true }).click()
    await page.getByRole('menuitem', { name: /^Tea \(your own\)/ }).waitFor()
    assert.deepEqual(await page.getByRole('menuitem').allTextContents(), ['Invoiceson', 'Tea (your own)on'])
    await visitor.assertSound()
    await closeByEscape(page, dialog(page, 'Label'))
    await choose(page, 'Tea (your own)')
  })

test('members see each other come to a conversation and leave it', async () => {
  const { box } = await furnished()
  const bob = `bob@${box.organization.domain}`
  const { id } = await box.organization.member(bob)
  await box.share(id, 'read')
  await box.receive({ subject: 'The kettle', text: 'It boils.' })
  const { body } = await box.organization.request('GET', `/v1/threads?mailbox=${box.address}`)
  await using one = await reader(browser, box)
  await using other = await reader(browser, box.of(id), { ...phone, colorScheme: 'dark' })
  const path = `${pathOf(box)}/${body.data[0].id}`
  const status = (page: Page) => page.getByRole('article').getByRole('status')
  const reads = (page: Page, text: string) => status(page).filter({ hasText: text }).waitFor()
  await one.page.goto(path)
  await other.page.goto(path)
  await reads(one.page, `${bob} is reading this.`)
  await reads(other.page, `${box.address} is reading this.`)
  for (const visitor of [one, other]) await visitor.assertSound()
  await one.page.keyboard.press('r')
  await reads(other.page, `${box.address} is writing an answer.`)
  await press(one.page, 'Close')
  await reads(other.page, `${box.address} is reading this.`)
  await one.page.getByRole('article').focus()
  await one.page.keyboard.press('u')
  await status(other.page).filter({ hasText: 'reading' }).waitFor({ state: 'detached' })
  // Closing the window ends presence too.
  await one.page.goto(path)
  await reads(other.page, 'reading')
  await other.page.close()
  await status(one.page).filter({ hasText: 'reading' }).waitFor({ state: 'detached' })
})
