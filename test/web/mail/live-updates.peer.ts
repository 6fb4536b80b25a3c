import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { follow, pathOf, press } from '#test/web/app.ts'
import { Visitor } from '#test/web/browser.ts'
import { boxOf } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'

const { world, browser, visit } = await startSite()

const subject = (page: Page, text: string) => page.getByRole('grid').getByRole('link', { name: text, exact: true })

test('arriving mail is there without a reload, and what was missed without a network once that is back', async () => {
  const box = await boxOf(world)
  const { page } = await visit(box)
  await follow(page, pathOf(box))
  await page.getByText('Your inbox is empty').waitFor()
  await box.receive({ subject: 'The engine', text: 'Is it oiled?' })
  await subject(page, 'The engine').waitFor()
  await page.getByRole('link', { name: 'Inbox 1 unread' }).waitFor()
  await page.context().setOffline(true)
  await box.receive({ subject: 'The moon', text: 'It is full.' })
  assert.equal(await subject(page, 'The moon').count(), 0)
  await page.context().setOffline(false)
  await subject(page, 'The moon').waitFor()
  const [{ uid = 0 } = {}] = await box.states()
  await box.change([uid], { starred: true })
  await page.getByRole('row', { name: /Unread, starred.*The moon/ }).waitFor()
  const reply = `/v1/messages/${uid}/reply?mailbox=${box.address}`
  assert.equal((await box.organization.request('POST', reply, { text: 'I see' })).status, 202)
  const row = page.getByRole('row', { name: /Unread, starred, answered.*The moon/ })
  await row.getByRole('img', { name: 'Answered' }).waitFor()
})

test('what was missed while the window slept is there when it is looked at again', async () => {
  const box = await boxOf(world)
  const { page } = await visit(box)
  const look = (state: 'hidden' | 'visible') =>
    page.evaluate(`(() => {
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' })
      document.dispatchEvent(new Event('visibilitychange'))
    })()`)
  await follow(page, pathOf(box))
  await look('hidden')
  await box.receive({ subject: 'The engine', text: 'Is it oiled?' })
  await box.organization.request('POST', '/v1/labels', { name: 'Invoices' })
  await look('visible')
  await subject(page, 'The engine').waitFor()
})

test('settings that another member or a key changes are there without a reload', async () => {
  const { organization, memberId } = await boxOf(world)
  const { id: bob } = await organization.member(`bob@${organization.domain}`, 'admin')
  await using one = await Visitor.signIn(browser, organization, memberId)
  await using other = await Visitor.signIn(browser, organization, bob)
  const { page } = other
  const seen = (name: string | RegExp) => one.page.getByRole('main').getByText(name).first().waitFor()

  await follow(one.page, '/domains')
  await other.open('/domains')
  await page.getByRole('button', { name: 'Add a domain' }).first().click()
  await page.getByRole('dialog').getByLabel('Domain').fill('another.example')
  await press(page, 'Add domain')
  await seen('another.example')

  await follow(one.page, '/members')
  await other.open('/members')
  await page.getByRole('button', { name: 'Add a member' }).click()
  await page.getByRole('dialog').getByLabel('E-mail address').fill('grace@another.example')
  await page.getByRole('dialog').getByRole('button', { name: /Role/ }).click()
  await page.getByRole('option', { name: /^admin/i }).click()
  await press(page, 'Add member')
  await one.page.getByRole('row', { name: /grace@another\.example.*admin/ }).waitFor()

  await follow(one.page, '/audit')
  await organization.request('POST', '/v1/domains', { domain: 'by-a-program.example' })
  await seen('by-a-program.example')
  await organization.request('POST', '/v1/labels', { name: 'By a program' })
  await seen('By a program')
})
