import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { press } from '#test/web/app.ts'
import { phone, type Visitor } from '#test/web/browser.ts'
import { boxOf, reader } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'
import { signIn } from '#test/world/members/signed-in.ts'

const { world, browser } = await startSite()

const engine = { field: 'subject', op: 'contains', value: 'engine' }

/** A member's browser, who has filters beside those of the organization. */
async function arrive(names: readonly string[], own: readonly string[] = [], role: 'owner' | 'member' = 'owner') {
  const box = await boxOf(world, { role })
  const ada = await signIn(box.organization, box.memberId)
  for (const name of names) await box.make('/v1/filters', { name, ...engine, action: 'star' })
  for (const name of own) await box.make('/v1/me/filters', { name, ...engine, action: 'star' }, ada)
  const visitor: Visitor = await reader(browser, box)
  await visitor.open('/filters')
  const stored = async (path: string): Promise<string[]> =>
    (await ada.request('GET', path)).body.data.map(({ name }: { name: string }) => name)
  return { box, visitor, page: visitor.page, stored }
}

/** The answer to a change of a filter. */
const changed = async (page: Page, change: Promise<void>) => {
  const answer = page.waitForResponse((response) => response.request().method() === 'PATCH')
  await change
  assert.equal((await answer).status(), 200)
}

/** Moves a filter behind all others of its list, by the keyboard. */
async function moveToEnd(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: `Move ${name}`, exact: true }).focus()
  await page.keyboard.press('Enter')
  // Moving begins with the next frame.
  await page.locator('[data-drop-target]').first().waitFor({ state: 'attached' })
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
}

test('a filter whose label was deleted says that it does nothing, and is not run on old mail', async () => {
  const { box, visitor, page } = await arrive(['Boss'])
  const { keyword } = await box.make('/v1/labels', { name: 'Invoices', colour: 'green' })
  await box.make('/v1/filters', { name: 'Bills', ...engine, action: 'label', argument: keyword })
  const marked = page.getByRole('row').filter({ hasText: 'Its label was deleted, so it has no effect' })
  await page.getByRole('button', { name: 'On old mail: Bills' }).waitFor()
  assert.equal(await marked.count(), 0)
  await visitor.open('/labels')
  await page.getByRole('button', { name: 'Delete Invoices' }).click()
  await press(page, 'Delete label')
  await page.getByRole('row', { name: /Invoices/ }).waitFor({ state: 'detached' })
  // Without a reload: the page refetches filters when labels change.
  await page.getByRole('link', { name: 'Filters' }).click()
  await marked.filter({ hasText: 'Bills' }).waitFor()
  assert.equal(await marked.count(), 1)
  await visitor.assertSoundAnywhere()
  assert.equal(await page.getByRole('button', { name: 'On old mail: Bills' }).count(), 0)
  assert.equal(await page.getByRole('button', { name: 'On old mail: Boss' }).count(), 1)
})

test('the pointer drags a filter to its place', async () => {
  const { page, stored } = await arrive(['First', 'Second', 'Third'])
  const rows = page.getByRole('grid', { name: 'Filters of the organization' }).getByRole('row')
  for (const [moved, beside, where, order] of [
    ['Third', 'First', 'before', ['Third', 'First', 'Second']],
    ['Third', 'First', 'after', ['First', 'Third', 'Second']],
    ['First', 'Second', 'after', ['Third', 'Second', 'First']],
  ] as const) {
    const target = rows.filter({ hasText: beside })
    const { height = 0 } = (await target.boundingBox()) ?? {}
    const targetPosition = { x: 200, y: where === 'before' ? 3 : height - 3 }
    await changed(page, rows.filter({ hasText: moved }).dragTo(target, { targetPosition }))
    for (const [at, name] of order.entries()) await rows.nth(at).filter({ hasText: name }).waitFor()
    assert.deepEqual(await stored('/v1/filters'), order)
  }
})

test('filters of the organization and one’s own are beside each other, and numbered in the order in which they run', async () => {
  const { box, page, stored } = await arrive(['First', 'Second'], ['First own', 'Second own'])
  const main = page.getByRole('main')
  await main.getByRole('region', { name: box.organization.name }).getByText('These run first').waitFor()
  await main.getByRole('region', { name: 'Your own' }).getByText('These run last').waitFor()
  const lists = main.getByRole('grid')
  const shown = async (names: readonly string[]) => {
    await lists
      .first()
      .getByRole('row')
      .first()
      .filter({ hasText: names[0] ?? '' })
      .waitFor()
    const rows = (await lists.getByRole('row').allInnerTexts()).map((text) => text.replace(/\s*⠿\s*/, ' '))
    assert.deepEqual(
      rows.map((text) => text.split('\n')[0]),
      names.map((name, at) => `${at + 1} ${name}`),
    )
  }
  await shown(['First', 'Second', 'First own', 'Second own'])
  const boxes = async () => [await lists.first().boundingBox(), await lists.last().boundingBox()] as const
  const [left, right] = await boxes()
  assert.ok(left && right && left.y === right.y && left.x + left.width <= right.x, JSON.stringify([left, right]))

  await changed(page, moveToEnd(page, 'First'))
  await shown(['Second', 'First', 'First own', 'Second own'])
  assert.deepEqual(await stored('/v1/filters'), ['Second', 'First'])

  await page.setViewportSize(phone.viewport)
  const [above, below] = await boxes()
  assert.ok(above && below && above.y + above.height <= below.y, JSON.stringify([above, below]))
})

test('a member changes the order of their own filters by the keyboard', async () => {
  const { page, stored } = await arrive(['First', 'Second'], ['First own', 'Second own'], 'member')
  await changed(page, moveToEnd(page, 'First own'))
  assert.deepEqual(await stored('/v1/me/filters'), ['Second own', 'First own'])
})

test('a member tries filters of their own after those of the organization', async () => {
  const { box, visitor, page } = await arrive(['First'], ['First own'], 'member')
  const open = page.getByRole('dialog')
  await box.make('/v1/labels', { name: 'Invoices' })
  const ada = await signIn(box.organization, box.memberId)
  for (const name of ['Tea', 'Invoices']) await box.make('/v1/me/labels', { name }, ada)
  await visitor.open('/filters')
  await page.getByRole('button', { name: 'New own filter' }).click()
  await open.getByLabel('Name').fill('Second own')
  await open.getByLabel('Text', { exact: true }).fill('tea')
  await open.getByRole('button', { name: /Invoices/ }).click()
  assert.deepEqual(await page.getByRole('option').allTextContents(), [
    ...['Invoices', 'Tea (your own)', 'Invoices (your own)'],
  ])
  await page.getByRole('option', { name: 'Tea' }).click()
  await press(page, 'Create')
  await page.getByRole('row', { name: 'Second own' }).waitFor()
  assert.equal(await page.getByRole('button', { name: /^Move/ }).count(), 2)
  await page.getByRole('button', { name: 'Try on a message' }).click()
  await open.getByLabel('Subject').fill('engine')
  await press(page, 'Try')
  await open.getByRole('listitem').filter({ hasText: 'First own' }).waitFor()
  assert.deepEqual(
    (await open.getByRole('listitem').allTextContents()).map((text) => text.replace(/ matches.*/, '')),
    ['First', 'First own'],
  )
  await visitor.assertSoundAnywhere()
})
