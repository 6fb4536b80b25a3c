import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Visitor } from '#test/web/browser.ts'
import { boxOf, reader } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'

const { world, browser } = await startSite()

const engine = { field: 'subject', op: 'contains', value: 'engine' }

test('a filter whose label was deleted says that it does nothing, and is not run on old mail', async () => {
  const box = await boxOf(world)
  const { organization } = box
  const label = (await organization.request('POST', '/v1/labels', { name: 'Invoices', colour: 'green' })).body
  const acts = { action: 'label', argument: label.keyword }
  await organization.request('POST', '/v1/filters', { name: 'Bills', ...engine, ...acts })
  await organization.request('POST', '/v1/filters', { name: 'Boss', ...engine, action: 'star' })
  await using visitor = await reader(browser, box)
  const { page } = visitor
  const marked = page.getByRole('row').filter({ hasText: 'Its label was deleted, so it has no effect' })
  await visitor.open('/filters')
  await page.getByRole('button', { name: 'On old mail: Bills' }).waitFor()
  assert.equal(await marked.count(), 0)
  await visitor.open('/labels')
  await page.getByRole('button', { name: 'Delete Invoices' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete label' }).click()
  await page.getByRole('row', { name: /Invoices/ }).waitFor({ state: 'detached' })
  // Without a reload: the page refetches filters when labels change.
  await page.getByRole('link', { name: 'Filters' }).click()
  await marked.filter({ hasText: 'Bills' }).waitFor()
  assert.equal(await marked.count(), 1)
  await visitor.assertSoundByDayAndNight()
  assert.equal(await page.getByRole('button', { name: 'On old mail: Bills' }).count(), 0)
  assert.equal(await page.getByRole('button', { name: 'On old mail: Boss' }).count(), 1)
})

test('the pointer drags a filter to its place', async () => {
  const box = await boxOf(world)
  for (const name of ['First', 'Second', 'Third'])
    await box.organization.request('POST', '/v1/filters', { name, ...engine, action: 'star' })
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await visitor.open('/filters')
  const rows = page.getByRole('grid', { name: 'Filters of the organization' }).getByRole('row')
  const names = async () => {
    const { body } = await box.organization.request('GET', '/v1/filters')
    return body.data.map(({ name }: { name: string }) => name)
  }
  for (const [moved, beside, where, order] of [
    ['Third', 'First', 'before', ['Third', 'First', 'Second']],
    ['Third', 'First', 'after', ['First', 'Third', 'Second']],
    ['First', 'Second', 'after', ['Third', 'Second', 'First']],
  ] as const) {
    const target = rows.filter({ hasText: beside })
    const { height = 0 } = (await target.boundingBox()) ?? {}
    const said = page.waitForResponse((response) => response.request().method() === 'PATCH')
    await rows
      .filter({ hasText: moved })
      .dragTo(target, { targetPosition: { x: 200, y: where === 'before' ? 3 : height - 3 } })
    assert.equal((await said).status(), 200)
    for (const [at, name] of order.entries()) await rows.nth(at).filter({ hasText: name }).waitFor()
    assert.deepEqual(await names(), order)
  }
  await visitor.assertSound()
})

test('an owner gives a member another role, and removes them', async () => {
  const { organization, memberId } = await boxOf(world)
  const email = `bob@${organization.domain}`
  const { id } = await organization.member(email)
  await using visitor = await Visitor.signIn(browser, organization, memberId)
  await using theirs = await Visitor.signIn(browser, organization, id)
  const { page } = visitor
  const row = page.getByRole('row').filter({ hasText: email })
  const dialog = page.getByRole('dialog').or(page.getByRole('alertdialog'))
  await theirs.open('/members')
  assert.equal(await theirs.page.getByRole('button', { name: 'Add a member' }).count(), 0)

  await visitor.open('/members')
  await row.getByText('member', { exact: true }).waitFor()
  await page.getByRole('button', { name: `Role of ${email}` }).click()
  assert.equal(await dialog.getByRole('button', { name: 'Save' }).isDisabled(), true)
  await dialog.getByRole('button', { name: /Role/ }).click()
  await page.getByRole('option', { name: /^Admin/ }).click()
  await visitor.assertSound()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await row.getByText('admin', { exact: true }).waitFor()
  await theirs.open('/members')
  await theirs.page.getByRole('button', { name: 'Add a member' }).waitFor()

  await page.getByRole('button', { name: `Remove ${email}` }).click()
  await visitor.assertSound()
  await dialog.getByRole('button', { name: 'Remove member' }).click()
  await row.waitFor({ state: 'detached' })
  await visitor.assertSound()
  await theirs.page.goto('/members')
  await theirs.page.getByLabel('Password').waitFor()
})

test('a member ends another of their sessions, which is signed out', async () => {
  const { organization, memberId } = await boxOf(world, { role: 'member' })
  await using visitor = await Visitor.signIn(browser, organization, memberId)
  await using other = await Visitor.signIn(browser, organization, memberId, { userAgent: 'Mozilla/5.0 Firefox/140.0' })
  const { page } = visitor
  await other.open('/profile')
  await visitor.open('/profile')
  const rows = page.getByRole('table', { name: 'Sessions' }).getByRole('row')
  const end = rows.getByRole('button', { name: /^End the session/ })
  await end.waitFor()
  assert.equal(await rows.filter({ hasText: 'This one' }).getByRole('button').count(), 0)
  await end.click()
  await visitor.assertSound()
  await page.getByRole('alertdialog').getByRole('button', { name: 'End session' }).click()
  await page.getByRole('alertdialog').waitFor({ state: 'detached' })
  await rows.filter({ hasText: 'This one' }).waitFor()
  assert.equal(await end.count(), 0)
  await visitor.assertSound()
  // Within five seconds.
  const password = other.page.getByLabel('Password', { exact: true })
  while (!(await password.isVisible())) {
    await pause(1_000)
    await other.open('/profile')
  }
})

test('an owner makes a key that is restricted, and sees to what, and when it was last used', async () => {
  const box = await boxOf(world)
  const { organization, address } = box
  const desk = (await organization.mailbox('desk')).address
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await visitor.open('/api-keys')
  await page.getByRole('button', { name: 'New API key' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Shop')
  await dialog.getByLabel('Read: Messages').locator('xpath=ancestor-or-self::label').click()
  await dialog.getByLabel('Only these mailboxes').fill(address)
  await dialog.getByLabel('Only to these recipients').fill('@customers.example, boss@example.com')
  await dialog.getByLabel('Only from these networks').fill('127.0.0.1/8')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  // An address outside its networks.
  await dialog.locator('input[name=networks][aria-invalid=true]').waitFor()
  await visitor.assertSound()
  await dialog.getByLabel('Only from these networks').fill('127.0.0.0/8')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  const key = await page.getByRole('dialog', { name: 'The key is made' }).locator('code').textContent()
  await page.getByRole('button', { name: 'Done' }).click()
  const row = page.getByRole('row').filter({ hasText: 'Shop' })
  for (const limit of [
    `Only mailboxes: ${address}`,
    'Only recipients: @customers.example, boss@example.com',
    'Only networks: 127.0.0.0/8',
  ])
    await row.getByText(limit, { exact: true }).waitFor()
  await row.getByText('Never', { exact: true }).waitFor()
  await visitor.assertSoundByDayAndNight()

  const read = (mailbox: string) =>
    organization.request('GET', `/v1/messages?${new URLSearchParams({ mailbox })}`, undefined, { key })
  const minute = () => new Date(Math.floor(world.clock.now() / 60_000) * 60_000).toISOString()
  const before = minute()
  assert.equal((await read(address)).status, 200)
  assert.equal((await read(desk)).status, 404)
  // It is written soon after the request is answered.
  const never = row.getByText('Never', { exact: true })
  while ((await never.count()) > 0) {
    await pause(1_000)
    await visitor.open('/api-keys')
    await row.waitFor()
  }
  const used = await row.locator('td').nth(2).locator('time').getAttribute('datetime')
  assert.ok(used !== null && used >= before && used <= minute(), `${used}`)
})
