import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { phone, wide } from '#test/web/browser.ts'
import { type Box, boxOf, reader } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'
import { type SignedInMember, signIn } from '#test/world/members/signed-in.ts'
import { until } from '#test/world/until.ts'

const { world, browser } = await startSite()

const engine = { field: 'subject', op: 'contains', value: 'engine' }
const own = (page: Page) => page.getByRole('main').getByRole('region', { name: 'Your own' })
const dialog = (page: Page) => page.getByRole('dialog').or(page.getByRole('alertdialog'))

/** Ada, with items of her organization and her own. */
async function furnished(role: 'owner' | 'member'): Promise<{ box: Box; ada: SignedInMember }> {
  const box = await boxOf(world, { role })
  const ada = await signIn(box.organization, box.memberId)
  const create = async (path: string, body: object) => {
    const { status, bytes } = path.startsWith('/v1/me/')
      ? await ada.request('POST', path, body)
      : await box.organization.request('POST', path, body)
    assert.equal(status, 201, bytes.toString())
  }
  for (const [path, name, colour] of [
    ['/v1/labels', 'Invoices', 'green'],
    ['/v1/labels', 'Gone', 'red'],
    ['/v1/me/labels', 'Tea', 'amber'],
  ] as const)
    await create(path, { name, colour })
  for (const name of ['First', 'Second']) {
    await create('/v1/filters', { name, ...engine, action: 'label', argument: 'invoices' })
    await create('/v1/me/filters', { name: `${name} own`, ...engine, action: 'label', argument: 'tea' })
  }
  await create('/v1/blocked-senders', { pattern: '@spam.example' })
  await create('/v1/me/blocked-senders', { pattern: '@loud.example' })
  return { box, ada }
}

/** The names that a list of the API has, in its order. */
async function names(member: SignedInMember, path: string): Promise<string[]> {
  const { body } = await member.request('GET', path)
  return body.data.map(({ name, pattern }: { name?: string; pattern?: string }) => name ?? pattern)
}

test('a member has labels, filters and blocks of their own beside those of the organization', async () => {
  const { box, ada } = await furnished('member')
  await using visitor = await reader(browser, box)
  const { page } = visitor

  await visitor.open('/labels')
  await own(page).getByRole('button', { name: 'New own label' }).click()
  await visitor.assertSound()
  // The organization has one of that name, too.
  await dialog(page).getByLabel('Name').fill('Invoices')
  await dialog(page).getByRole('button', { name: 'Create' }).click()
  await own(page)
    .getByRole('row', { name: /Invoices.*invoices-2/ })
    .waitFor()
  await page.getByRole('button', { name: 'Edit Tea' }).click()
  await dialog(page).getByLabel('Name').fill('Tea time')
  await dialog(page).getByRole('button', { name: 'Save' }).click()
  await own(page)
    .getByRole('row', { name: /Tea time/ })
    .waitFor()
  await visitor.assertSound()
  assert.deepEqual(await names(ada, '/v1/me/labels'), ['Tea time', 'Invoices'])

  await visitor.open('/filters')
  await own(page).getByRole('button', { name: 'New own filter' }).click()
  await dialog(page).getByLabel('Name').fill('Third own')
  await dialog(page).getByLabel('Text', { exact: true }).fill('tea')
  await dialog(page)
    .getByRole('button', { name: /Invoices/ })
    .click()
  assert.deepEqual(await page.getByRole('option').allTextContents(), [
    'Invoices',
    'Gone',
    'Tea time (your own)',
    'Invoices (your own)',
  ])
  await page.getByRole('option', { name: 'Tea time' }).click()
  await dialog(page).getByRole('button', { name: 'Create' }).click()
  await own(page).getByRole('row', { name: 'Third own' }).waitFor()
  await visitor.assertSound()
  assert.equal(await page.getByRole('button', { name: /^Move/ }).count(), 3)
  await page.getByRole('button', { name: 'Try on a message' }).click()
  await dialog(page).getByLabel('Subject').fill('engine')
  await dialog(page).getByRole('button', { name: 'Try' }).click()
  await dialog(page).getByRole('listitem').filter({ hasText: 'Second own' }).waitFor()
  assert.deepEqual(
    (await dialog(page).getByRole('listitem').allTextContents()).map((text) => text.replace(/ matches.*/, '')),
    ['First', 'Second', 'First own', 'Second own'],
  )
  await visitor.assertSound()
})

/** Moves a filter behind all others of its list, by the keyboard. */
async function moveToEnd(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: `Move ${name}`, exact: true }).focus()
  await page.keyboard.press('Enter')
  // Moving begins with the next frame.
  await page.locator('[data-drop-target]').first().waitFor({ state: 'attached' })
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
}

for (const [role, list, path] of [
  ['owner', 'Filters of the organization', '/v1/filters'],
  ['member', 'Your own filters', '/v1/me/filters'],
] as const) {
  test(`the keyboard changes the order of a list of filters: ${list}`, async () => {
    const { box, ada } = await furnished(role)
    const [first = '', second = ''] = await names(ada, path)
    await using visitor = await reader(browser, box)
    const { page } = visitor
    await visitor.open('/filters')
    const rows = page.getByRole('grid', { name: list }).getByRole('row')
    await moveToEnd(page, first)
    await rows.first().filter({ hasText: second }).waitFor()
    await until(async () => (await names(ada, path))[0] === second)
    assert.deepEqual(await names(ada, path), [second, first])
    await visitor.assertSound()
  })
}

test('filters of the organization and one’s own are beside each other, and numbered in the order in which they run', async () => {
  const { box } = await furnished('owner')
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await visitor.open('/filters')
  const theirs = page.getByRole('main').getByRole('region', { name: box.organization.name })
  await theirs.getByText('These run first').waitFor()
  await own(page).getByText('These run last').waitFor()
  const lists = page.getByRole('main').getByRole('grid')
  const rows = async () => (await lists.getByRole('row').allInnerTexts()).map((text) => text.replace(/\s*⠿\s*/, ' '))
  const shown = async (names: readonly string[]) =>
    assert.deepEqual(
      (await rows()).map((text) => text.split('\n')[0]),
      names.map((name, at) => `${at + 1} ${name}`),
    )
  await shown(['First', 'Second', 'First own', 'Second own'])
  const boxes = async () => [await lists.first().boundingBox(), await lists.last().boundingBox()] as const
  const [left, right] = await boxes()
  assert.ok(left && right && left.y === right.y && left.x + left.width <= right.x, JSON.stringify([left, right]))

  await moveToEnd(page, 'First')
  await lists.first().getByRole('row').first().filter({ hasText: 'Second' }).waitFor()
  await shown(['Second', 'First', 'First own', 'Second own'])

  await page.setViewportSize(phone.viewport)
  const [above, below] = await boxes()
  assert.ok(above && below && above.y + above.height <= below.y, JSON.stringify([above, below]))
  await visitor.assertSound()
})

test('many senders are blocked by pasting them, with a result for each', async () => {
  const { box, ada } = await furnished('member')
  await using visitor = await reader(browser, box, phone)
  const { page } = visitor
  await visitor.open('/blocked-senders')
  await own(page).getByRole('button', { name: 'Block for yourself' }).click()
  const field = dialog(page).getByLabel('Addresses or domains')
  await field.fill('one@ads.example\nno address\n@loud.example, TWO@ads.example')
  await dialog(page).getByRole('button', { name: 'Block 5' }).click()
  const results = dialog(page).getByRole('list', { name: 'Results' }).getByRole('listitem')
  await results.first().waitFor()
  const said = await results.allTextContents()
  assert.equal(said[0], 'one@ads.example Blocked')
  assert.match(said[1] ?? '', /^no pattern /)
  assert.match(said[2] ?? '', /^address pattern /)
  assert.deepEqual(said.slice(3), ['@loud.example Was blocked already', 'TWO@ads.example Blocked as two@ads.example'])
  assert.equal(await field.inputValue(), 'no\naddress')
  await visitor.assertSound()
  await field.fill('three@ads.example')
  await dialog(page).getByRole('button', { name: 'Block' }).click()
  await own(page).getByText('three@ads.example').waitFor()
  assert.deepEqual((await names(ada, '/v1/me/blocked-senders')).sort(), [
    '@loud.example',
    'one@ads.example',
    'three@ads.example',
    'two@ads.example',
  ])
})

for (const [what, options] of [
  ['a wide window', wide],
  ['a phone at night', { ...phone, colorScheme: 'dark' as const }],
] as const) {
  test(`labels of the organization, one’s own and keywords of neither are told apart in ${what}`, async () => {
    const { box, ada } = await furnished('member')
    await box.receive({ subject: 'The kettle', text: 'It boils.' })
    const [{ uid = 0 } = {}] = await box.states()
    const change = { uids: [uid], add_labels: ['invoices', 'tea', 'gone'] }
    const query = new URLSearchParams({ mailbox: box.address })
    assert.equal((await ada.request('PATCH', `/v1/messages?${query}`, change)).status, 200)
    const gone = (await box.organization.request('GET', '/v1/labels')).body.data[1].id
    await box.organization.request('DELETE', `/v1/labels/${gone}`)

    await using visitor = await reader(browser, box, options)
    const { page } = visitor
    await page.goto(`/mail/${encodeURIComponent(box.address)}/inbox`)
    const row = page.getByRole('row', { name: /labelled .*Invoices.*The kettle|The kettle.*labelled/ })
    await row.waitFor()
    assert.match((await row.getAttribute('aria-label')) ?? '', /labelled (.*, )?Tea \(your own\)/)
    await row.getByText('Tea (your own)').waitFor()
    await visitor.assertSound()
    await row.getByRole('link').click()
    const heading = page.getByRole('heading', { level: 1, name: 'The kettle' })
    await heading.getByText('gone').waitFor()
    const corner = (text: string) =>
      heading.getByText(text, { exact: true }).evaluate((chip) => {
        const page = globalThis as unknown as { getComputedStyle: (of: unknown) => Record<string, string> }
        const { borderTopLeftRadius, borderTopStyle } = page.getComputedStyle(chip)
        return `${borderTopLeftRadius} ${borderTopStyle}`
      })
    const shapes = [await corner('Invoices'), await corner('Tea (your own)'), await corner('gone')]
    assert.equal(new Set(shapes).size, 3, shapes.join(', '))
    await visitor.assertSound()
    await page.getByRole('button', { name: 'Label', exact: true }).click()
    await page.getByRole('menuitem', { name: /^Tea \(your own\)/ }).waitFor()
    assert.deepEqual(await page.getByRole('menuitem').allTextContents(), ['Invoiceson', 'Tea (your own)on'])
    await visitor.assertSound()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await page.getByRole('menuitem', { name: /Tea \(your own\)/ }).waitFor()
    await visitor.assertSound()
  })
}

test('members see each other come to a conversation and leave it', async () => {
  const { box, ada } = await furnished('owner')
  const bob = `bob@${box.organization.domain}`
  const { id } = await box.organization.member(bob)
  const share = await ada.request('PUT', `/v1/mailboxes/${box.address}/access/${id}`, { level: 'read' })
  assert.equal(share.status, 200)
  await box.receive({ subject: 'The kettle', text: 'It boils.' })
  const query = new URLSearchParams({ mailbox: box.address })
  const [{ id: conversation }] = (await ada.request('GET', `/v1/threads?${query}`)).body.data
  await using one = await reader(browser, box)
  await using other = await reader(browser, { ...box, memberId: id } as Box, { ...phone, colorScheme: 'dark' })
  const path = `/mail/${encodeURIComponent(box.address)}/inbox/${conversation}`
  const status = (page: Page) => page.getByRole('article').getByRole('status')
  await one.page.goto(path)
  await other.page.goto(path)
  await status(one.page)
    .filter({ hasText: `${bob} is reading this.` })
    .waitFor()
  await status(other.page)
    .filter({ hasText: `${box.address} is reading this.` })
    .waitFor()
  for (const visitor of [one, other]) await visitor.assertSound()
  await one.page.keyboard.press('r')
  await status(other.page)
    .filter({ hasText: `${box.address} is writing an answer.` })
    .waitFor()
  await one.page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await status(other.page)
    .filter({ hasText: `${box.address} is reading this.` })
    .waitFor()
  await one.page.getByRole('article').focus()
  await one.page.keyboard.press('u')
  await status(other.page).filter({ hasText: 'reading' }).waitFor({ state: 'detached' })
  // Closing the window ends presence too.
  await one.page.goto(path)
  await status(other.page).filter({ hasText: 'reading' }).waitFor()
  await other.page.close()
  await status(one.page).filter({ hasText: 'reading' }).waitFor({ state: 'detached' })
})
