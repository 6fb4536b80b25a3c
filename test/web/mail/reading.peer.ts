import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { byOperator } from '#/base/audit/actor.ts'
import { suspendOrganization } from '#/people/organizations/register.ts'
import { body, conversation, fillIn, follow, list, openConversation, pathOf, press, row } from '#test/web/app.ts'
import { phone, zoomed } from '#test/web/browser.ts'
import { boxOf } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'

const { world, visit, arrive } = await startSite()

for (const [name, policy] of [
  ['careful.example', 'quarantine'],
  ['watched.example', 'none'],
])
  world.dns.set(`_dmarc.${name}`, { txt: [`v=DMARC1; p=${policy}`] })
world.dns.set('proven.example', { txt: ['v=spf1 ip4:127.0.0.1 -all'] })

const subject = (page: Page, text: string) => page.getByRole('grid').getByRole('link', { name: text, exact: true })

test('arriving mail is there without a reload, and what was missed without a network once that is back', async () => {
  const { box, page } = await arrive()
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
  await box.change({ starred: true }, (one) => one.subject === 'The moon')
  await page.getByRole('row', { name: /Unread, starred.*The moon/ }).waitFor()
  const [{ uid = 0 } = {}] = await box.states()
  await box.make(`/v1/messages/${uid}/reply?mailbox=${box.address}`, { text: 'I see' })
  const answered = page.getByRole('row', { name: /Unread, starred, answered.*The moon/ })
  await answered.getByRole('img', { name: 'Answered' }).waitFor()
})

test('what was missed while the window slept is there when it is looked at again', async () => {
  const { box, page } = await arrive()
  const look = (state: 'hidden' | 'visible') =>
    page.evaluate(`(() => {
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' })
      document.dispatchEvent(new Event('visibilitychange'))
    })()`)
  await follow(page, pathOf(box))
  await look('hidden')
  await box.receive({ subject: 'The engine', text: 'Is it oiled?' })
  await look('visible')
  await subject(page, 'The engine').waitFor()
})

test('the address of a conversation leads to it wherever it has been moved, also while it is open', async () => {
  const { box, page } = await arrive()
  await box.receive({ subject: 'The engine', text: 'Is it oiled?' })
  const [{ id }] = await box.listed(`/v1/messages?mailbox=${box.address}`)
  const move = (folder: string) => box.organization.bodyOf(200, 'PATCH', `/v1/messages/${id}`, { folder })
  const isThere = (folder: string) =>
    page.waitForURL(
      ({ pathname }) => decodeURIComponent(pathname) === decodeURIComponent(`${pathOf(box, folder)}/${id}`),
    )
  await move('archive')
  await follow(page, `${pathOf(box)}/${id}`)
  await isThere('archive')
  await page.getByText('Is it oiled?').first().waitFor()
  await move('Projects/Apollo')
  await isThere('Projects/Apollo')
  await page.getByRole('heading', { name: 'The engine' }).waitFor()
})

test('settings that another member or a key changes are there without a reload', async () => {
  const { box, page } = await arrive()
  const { organization } = box
  const bob = box.of((await organization.member(`bob@${organization.domain}`, 'admin')).id)
  const { page: other } = await visit(bob, '/domains')
  const seen = (name: string) => page.getByRole('main').getByText(name).first().waitFor()
  await follow(page, '/domains')
  await fillIn(other, 'Add a domain', { Domain: 'another.example' }, 'Add domain')
  await seen('another.example')
  await follow(page, '/audit')
  await organization.request('POST', '/v1/labels', { name: 'By a program' })
  await seen('By a program')
})

test('members see each other come to a conversation and leave it', async () => {
  const box = await boxOf(world)
  const bob = `bob@${box.organization.domain}`
  const { id } = await box.organization.member(bob)
  await box.share(id, 'read')
  await box.receive({ subject: 'The kettle', text: 'It boils.' })
  const [{ ids }] = await box.listed(`/v1/threads?mailbox=${box.address}`)
  const path = `${pathOf(box)}/${ids[0]}`
  const status = (page: Page) => page.getByRole('article').getByRole('status')
  const reads = (page: Page, text: string) => status(page).filter({ hasText: text }).waitFor()
  const one = await visit(box, path)
  const other = await visit(box.of(id), path, { ...phone, colorScheme: 'dark' })
  await reads(one.page, `${bob} is reading this.`)
  await reads(other.page, `${box.address} is reading this.`)
  for (const { visitor } of [one, other]) await visitor.assertSound()
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

test('a message says in plain words whether its sender is proven, and why it is in Junk', async () => {
  const { box, visitor, page } = await arrive()
  const reasons = {
    forged: /^Be careful: this message claims to be from/,
    unproven: /^Nothing proves that this message is from elsewhere\.example/,
    dmarc: /^It fails the check of its author’s domain \(DMARC\)/,
    authors: /^It is in Junk because its author cannot be determined/,
    moved: /^It was moved to Junk after it arrived/,
  }
  for (const [subject, from, folder, ...expected] of [
    ['Forged', { name: 'Mallory', address: 'mallory@careful.example' }, 'junk', 'forged', 'dmarc'],
    ['Watched', 'mallory@watched.example', 'inbox', 'forged'],
    ['Unproven', 'bob@elsewhere.example', 'inbox', 'unproven'],
    ['Proven', 'cy@proven.example', 'inbox'],
    ['By hand', 'cy@proven.example', 'junk', 'moved'],
  ] as const) {
    await box.receive({ subject, from, text: 'Hello, Ada' })
    if (subject === 'By hand') await box.change({ folder }, (one) => one.subject === subject)
    await visitor.open(pathOf(box, folder))
    await openConversation(page, new RegExp(subject))
    await conversation(page).getByText('Hello, Ada').waitFor()
    for (const [reason, text] of Object.entries(reasons)) {
      const isShown = (await conversation(page).getByText(text).count()) > 0
      assert.equal(isShown, (expected as readonly string[]).includes(reason), `${subject}: ${reason}`)
    }
    if (expected.length > 0) await visitor.assertSound()
  }
})

test('on paper there is the conversation alone', async () => {
  const box = await boxOf(world)
  await box.receive({ subject: 'The moon', html: `<p>It is full</p>${'<p>And bright</p>'.repeat(80)}` })
  const { visitor, page } = await visit(box)
  await page.addInitScript("print = () => document.documentElement.setAttribute('data-printed', '')")
  await visitor.open(pathOf(box))
  await openConversation(page, 'The moon')
  const text = page.frameLocator('article iframe').getByText('It is full')
  await text.waitFor()
  await page.getByRole('button', { name: 'Print' }).click()
  await page.locator('html[data-printed]').waitFor({ state: 'attached' })
  await page.emulateMedia({ media: 'print' })
  const year = page.locator('header').getByText(/20\d\d/) // “10:15” says nothing tomorrow
  const author = page.getByRole('button', { name: /Ann/ })
  for (const one of [text, page.getByRole('heading', { name: 'The moon' }), year, author])
    assert.equal(await one.isVisible(), true)
  assert.equal(await list(page).isVisible(), false)
  assert.deepEqual([await page.getByRole('button').count(), await page.getByRole('navigation').count()], [1, 0])
  // The whole conversation, not only what fits a window.
  const sheets = (await page.pdf()).toString('latin1').match(/\/Type\s*\/Page\b/g) ?? []
  assert.ok(sheets.length > 1, `${sheets.length}`)
})

test('at a zoom of 200 % what has long words is as wide as the window, and so is what is read and written', async () => {
  const box = await boxOf(world)
  await box.make('/v1/labels', { name: 'Invoices that are to be paid' })
  await box.make('/v1/domains', { domain: `a-shop-with-a-very-long-name.${box.organization.domain}` })
  await box.receive({ subject: 'The engine', text: `Is it oiled? ${'oil'.repeat(100)}` })
  const { visitor, page } = await visit(box, undefined, zoomed)
  for (const path of ['/labels', '/domains', pathOf(box)]) {
    await visitor.open(path)
    await visitor.assertFits()
  }
  await openConversation(page, 'The engine')
  await visitor.assertSound()
  await page.keyboard.press('r')
  await body(page).waitFor()
  await visitor.assertSound()
})

test('times are in the reader’s zone, and dates in the language of their browser', async () => {
  const box = await boxOf(world)
  await box.receive({ subject: 'The engine', text: 'Is it oiled?' })
  const [{ received_at }] = await box.listed(`/v1/messages?mailbox=${box.address}`)
  for (const [locale, timeZone] of [
    ['de-DE', 'Asia/Tokyo'],
    ['ar-EG', 'Africa/Cairo'],
  ] as const) {
    const { page } = await visit(box, pathOf(box), { locale, timezoneId: timeZone })
    const time = row(page, 'The engine').locator('time')
    const format = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'short', timeZone })
    const shown = (await time.getAttribute('title'))?.replace(/\s/g, ' ')
    assert.equal(shown, format.format(new Date(received_at)).replace(/\s/g, ' '))
    assert.equal(await time.getAttribute('datetime'), received_at)
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
  const { page } = await arrive('/labels')
  for (const [reducedMotion, expected] of [
    ['reduce', '0s'],
    ['no-preference', '0.12s'],
  ] as const) {
    await page.emulateMedia({ reducedMotion })
    assert.equal(await page.evaluate(longest), expected)
  }
})

test('members of a suspended organization are told so, and whom to ask', async () => {
  const { box, visitor, page } = await arrive()
  await suspendOrganization(world.db, box.organization.id, true, byOperator)
  await page.goto('/labels')
  await page.getByText('This organization is suspended. Ask the operator of this service.').waitFor()
  await visitor.assertSoundAnywhere()
})
