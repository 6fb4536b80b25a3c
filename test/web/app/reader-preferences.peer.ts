import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byOperator } from '#/audit/actor.ts'
import { suspendOrganization } from '#/organizations/register.ts'
import { openConversation, pathOf, row } from '#test/web/app.ts'
import { zoomed } from '#test/web/browser.ts'
import { body } from '#test/web/composer.ts'
import { boxOf, reader } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'

const { world, browser, visit } = await startSite()

test('at a zoom of 200 % what has long words is as wide as the window, and so is what is read and written', async () => {
  const box = await boxOf(world)
  await box.make('/v1/labels', { name: 'Invoices that are to be paid' })
  await box.make('/v1/domains', { domain: `a-shop-with-a-very-long-name.${box.organization.domain}` })
  await box.receive({ subject: 'The engine', text: `Is it oiled? ${'oil'.repeat(100)}` })
  await using visitor = await reader(browser, box, zoomed)
  for (const path of ['/labels', '/domains', pathOf(box)]) {
    await visitor.open(path)
    await visitor.assertFits()
  }
  await openConversation(visitor.page, 'The engine')
  await visitor.assertSound()
  await visitor.page.keyboard.press('r')
  await body(visitor.page).waitFor()
  await visitor.assertSound()
})

test('times are in the reader’s zone, and dates in the language of their browser', async () => {
  const box = await boxOf(world)
  await box.receive({ subject: 'The engine', text: 'Is it oiled?' })
  const { body: listed } = await box.organization.request('GET', `/v1/messages?mailbox=${box.address}`)
  const received = new Date(listed.data[0].received_at)
  for (const [locale, timeZone] of [
    ['de-DE', 'Asia/Tokyo'],
    ['ar-EG', 'Africa/Cairo'],
  ] as const) {
    const { visitor } = await visit(box, pathOf(box), { locale, timezoneId: timeZone })
    const time = row(visitor.page, 'The engine').locator('time')
    const full = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'short', timeZone }).format(received)
    const same = (text: string | null) => text?.replace(/\s/g, ' ')
    assert.equal(same(await time.getAttribute('title')), same(full))
    assert.equal(await time.getAttribute('datetime'), received.toISOString())
  }
})

/** The longest transition or animation on the page. */
const longest = `(() => {
  const all = [...document.querySelectorAll('*')].flatMap((element) => {
    const { transitionDuration, animationDuration } = getComputedStyle(element)
    return [transitionDuration, animationDuration].join(', ').split(', ').map(parseFloat)
  })
  return Math.max(...all) + 's'
})()`

test('nothing moves for those who want that, and what moves takes a moment for others', async () => {
  const { visitor } = await visit(await boxOf(world), '/labels')
  for (const [reducedMotion, expected] of [
    ['reduce', '0s'],
    ['no-preference', '0.12s'],
  ] as const) {
    await visitor.page.emulateMedia({ reducedMotion })
    assert.equal(await visitor.page.evaluate(longest), expected)
  }
})

test('members of a suspended organization are told so, and whom to ask', async () => {
  const box = await boxOf(world, { role: 'member' })
  await using visitor = await reader(browser, box)
  await suspendOrganization(world.db, box.organization.id, true, byOperator)
  await visitor.page.goto('/labels')
  await visitor.page.getByText('This organization is suspended. Ask the operator of this service.').waitFor()
  await visitor.assertSoundAnywhere()
})
