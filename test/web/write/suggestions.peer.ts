import assert from 'node:assert/strict'
import { test } from 'node:test'
import { focusOn } from '#test/web/app.ts'
import { windows } from '#test/web/browser.ts'
import { boxOf } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'

const { world, visit } = await startSite()

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
