import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { byOperator } from '#/audit/actor.ts'
import { suspendOrganization } from '#/organizations/register.ts'
import { Visitor, zoomed } from '#test/web/browser.ts'
import { boxOf, reader } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'

const { world, browser } = await startSite()

const paths = [
  ...['/', '/labels', '/filters', '/blocked-senders', '/scheduled', '/domains', '/mailboxes', '/members'],
  ...['/api-keys', '/webhooks', '/approvals', '/audit', '/changes', '/profile', '/search', '/no-such-page'],
]

test('at a zoom of 200 % every page is as wide as the window, and so is what is read and written', async () => {
  const box = await boxOf(world)
  const { organization, address } = box
  for (const [path, body] of [
    ['/v1/labels', { name: 'Invoices that are to be paid' }],
    ['/v1/filters', { name: 'Boss', field: 'from', op: 'is', value: 'boss@example.com', action: 'star' }],
    ['/v1/domains', { domain: `a-shop-with-a-very-long-name.${organization.domain}` }],
  ] as const)
    assert.equal((await organization.request('POST', path, body)).status, 201)
  await box.receive({ subject: 'The engine', text: `Is it oiled? ${'oil'.repeat(100)}` })
  await using visitor = await reader(browser, box, zoomed)
  const { page } = visitor
  for (const path of [...paths, `/mailboxes/${address}`]) {
    await visitor.open(path)
    await visitor.assertSound()
  }
  await visitor.open(`/mail/${encodeURIComponent(address)}/inbox`)
  await page.getByRole('row').first().getByRole('link').click()
  await page.getByRole('article', { name: 'Conversation' }).getByText('Is it oiled?').waitFor()
  await visitor.assertSound()
  await page.keyboard.press('r')
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
  await visitor.assertSound()
})

test('times are in the reader’s zone, and dates in the language of their browser', async () => {
  const box = await boxOf(world)
  await box.receive({ subject: 'The engine', text: 'Is it oiled?' })
  const received = new Date(
    (await box.organization.request('GET', `/v1/messages?mailbox=${box.address}`)).body.data[0].received_at,
  )
  for (const [locale, timeZone] of [
    ['de-DE', 'Asia/Tokyo'],
    ['en-US', 'America/New_York'],
    ['ar-EG', 'Africa/Cairo'],
  ] as const) {
    await using visitor = await reader(browser, box, { locale, timezoneId: timeZone })
    await visitor.open(`/mail/${encodeURIComponent(box.address)}/inbox`)
    const time = visitor.page.getByRole('row').first().locator('time')
    const full = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'short', timeZone }).format(received)
    const same = (text: string | null) => text?.replace(/\s/g, ' ')
    assert.equal(same(await time.getAttribute('title')), same(full))
    assert.equal(await time.getAttribute('datetime'), received.toISOString())
  }
})

test('nothing moves for those who want that, and what moves takes a moment for others', async () => {
  const box = await boxOf(world)
  for (const [reducedMotion, expected] of [
    ['reduce', '0s'],
    ['no-preference', '0.12s'],
  ] as const) {
    await using visitor = await reader(browser, box, { reducedMotion })
    await visitor.open('/labels')
    assert.equal(await longest(visitor.page), expected)
  }
})

/** The longest transition or animation on the page. */
function longest(page: Page): Promise<string> {
  return page.evaluate(`(() => {
    const all = [...document.querySelectorAll('*')].flatMap((element) => {
      const { transitionDuration, animationDuration } = getComputedStyle(element)
      return [transitionDuration, animationDuration].join(', ').split(', ').map(parseFloat)
    })
    return Math.max(...all) + 's'
  })()`)
}

test('a role that may not see a page is told so, and nothing is offered that it may not do', async () => {
  const { organization } = await boxOf(world)
  const { id } = await organization.member(`eve@${organization.domain}`)
  await using visitor = await Visitor.signIn(browser, organization, id)
  for (const path of ['/api-keys', '/audit', '/webhooks']) {
    await visitor.open(path)
    await visitor.page
      .getByRole('heading', { name: /^You may not see/ })
      .first()
      .waitFor()
    assert.equal(await visitor.page.getByRole('main').getByRole('button').count(), 0, path)
    await visitor.assertSoundByDayAndNight()
  }
})

test('members of a suspended organization are told so, and whom to ask', async () => {
  const { organization } = await boxOf(world)
  const { id } = await organization.member(`eve@${organization.domain}`)
  await using visitor = await Visitor.signIn(browser, organization, id)
  await suspendOrganization(world.db, organization.id, true, byOperator)
  await visitor.page.goto('/labels')
  await visitor.page.getByText('This organization is suspended. Ask the operator of this service.').waitFor()
  await visitor.assertSoundByDayAndNight()
})
