import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { begin, body, composer, pathOf, press, row } from '#test/web/app.ts'
import { windows } from '#test/web/browser.ts'
import { type Box, boxOf } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'

const { world, visit } = await startSite()

/** A picture of one pixel. */
const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const waiting = (page: Page, subject: string) => page.getByRole('article', { name: subject })
const nothing = (page: Page) => page.getByText('Nothing waits for approval').waitFor()

/** A member's mailbox, and an owner who may send from it. */
async function supervised() {
  const box = await boxOf(world, 'member')
  const { id } = await box.organization.member('boss@people.example', 'owner')
  await box.share(id, 'send')
  return { box, boss: box.of(id) }
}

/** A program asks that a draft be sent. */
async function ask(box: Box, fields: object): Promise<void> {
  const key = await box.organization.newKey('sending:draft')
  const { organization } = box
  const program = {
    request: (...of: Parameters<typeof organization.request>) => organization.request(of[0], of[1], of[2], { key }),
  }
  const { id } = await box.make('/v1/drafts', { mailbox: box.address, to: 'bob@there.example', ...fields }, program)
  await box.make(`/v1/drafts/${id}/approval`, {}, program)
}

for (const [what, options] of windows)
  test(`what waits is shown as it would leave, and declined or approved, in ${what}`, async () => {
    const { box, boss } = await supervised()
    const { visitor, page } = await visit(boss, '/approvals', options)
    await nothing(page)
    const html = '<p>It is <b>ten</b>.</p>'
    await ask(box, { subject: 'The price', bcc: 'eve@there.example', html, text: 'It is ten.' })
    await ask(box, { subject: 'The date', text: 'It is tomorrow.' })
    const price = waiting(page, 'The price')
    await price.getByText('eve@there.example').waitFor()
    await price.locator('iframe').contentFrame().getByText('ten').waitFor()
    const date = waiting(page, 'The date')
    await date.getByText('It is tomorrow.').waitFor()
    await visitor.assertSound()
    await price.getByRole('button', { name: 'Decline' }).click()
    await page.getByLabel('Reason').fill('Too cheap')
    await press(page, 'Decline')
    await price.waitFor({ state: 'detached' })
    await date.getByRole('button', { name: 'Approve' }).click()
    await press(page, 'Approve and send')
    await nothing(page)
    const decided = page.getByRole('table', { name: 'Decided approvals' })
    await decided.getByText('Too cheap').waitFor()
    await decided.getByText('Approved').waitFor()
    await visitor.assertSound()
  })

test('all that leaves is shown before it is approved: both texts, every field, what is hidden, and every file', async () => {
  const { box, boss } = await supervised()
  const program = Buffer.from('MZ is how a program begins').toString('base64')
  const filename = `${'a long name '.repeat(8)}report.exe`
  await ask(box, {
    subject: 'The offer',
    html: [
      '<style>.later{display:none}</style><p>It is <b>ten</b>.</p><!-- cid:x1 --><!--[if mso]><p>It is ninety.</p><![endif]-->',
      '<img src="cid:x2" alt=""><img src="cid:x3" alt=""><p class="later">Or twenty</p><p style="display: none">Or thirty</p>',
      '<svg><text>Or forty</text></svg><blockquote type="cite">Or fifty</blockquote>',
    ].join(''),
    text: 'It is sixty.\n\nOn Monday Ann wrote:\n> It was seventy.',
    headers: { 'X-Offer': 'eighty', 'List-Unsubscribe': '<https://there.example/leave>' },
    in_reply_to: '<asked@there.example>',
    attachments: [
      { filename, content: program, content_type: 'image/png', content_id: 'x1' },
      { filename: 'shown.exe', content: program, content_type: 'image/png', content_id: 'x2' },
      { filename: 'dot.png', content: dot, content_type: 'image/png', content_id: 'x3' },
    ],
  })
  const { visitor, page } = await visit(boss, '/approvals')
  const offer = waiting(page, 'The offer')
  await offer.locator('iframe').contentFrame().getByText('Or fifty').waitFor()
  await offer.getByRole('button', { name: 'Approve' }).and(page.locator(':enabled')).waitFor()
  for (const [name = '', ...texts] of [
    ['Sent too, but not shown above', '<!-- cid:x1 -->', 'It is ninety.', 'Or twenty', 'Or thirty', 'Or forty'],
    ['Plain text', 'It is sixty.', 'It was seventy.'],
  ])
    for (const text of texts) await offer.getByRole('group', { name }).getByText(text).waitFor()
  for (const [name, value] of [
    ['X-Offer', 'eighty'],
    ['List-Unsubscribe', '<https://there.example/leave>'],
    ['In-Reply-To', '<asked@there.example>'],
  ] as const)
    await offer.getByRole('term').filter({ hasText: name }).locator('xpath=..').getByText(value).waitFor()
  const files = offer.getByRole('list', { name: 'Attachments' }).getByRole('link')
  assert.deepEqual(await files.locator('bdi').allTextContents(), [
    ...[filename, 'image/png', 'shown.exe', 'image/png', 'dot.png', 'image/png'],
  ])
  await offer.getByRole('button', { name: 'Show the source' }).click()
  await offer.getByText('<style>.later{display:none}</style>').waitFor()
  await visitor.assertSound()
})

test('who asks and who approves see each other’s doings without a reload, and an edit is not sent', async () => {
  const { box, boss } = await supervised()
  const { page: approver } = await visit(boss, '/approvals')
  await nothing(approver)
  const { visitor: writer, page } = await visit(box, pathOf(box))
  await begin(page, 'bob@there.example', 'The plan', 'It is done')
  const plan = waiting(approver, 'The plan')
  const askAgain = async () => {
    await composer(page).getByRole('button', { name: 'Ask for approval' }).click()
    await composer(page).waitFor({ state: 'detached' })
    await plan.getByRole('button', { name: 'Approve' }).click()
  }
  await askAgain()
  await approver.getByRole('link', { name: 'Approvals 1 waiting' }).waitFor()

  await page.getByRole('link', { name: 'Drafts' }).first().click()
  await row(page, 'The plan').getByRole('link').click()
  await composer(page).getByText('Waits for approval').waitFor()
  await writer.assertSound()
  await body(page).focus()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(', nearly')
  await composer(page).getByText('It was edited since approval was asked for').waitFor()
  await nothing(approver)
  assert.deepEqual(await box.states('sent'), [])
  await askAgain()
  await press(approver, 'Approve and send')
  await nothing(approver)
  await world.outbound.processAll()
  assert.deepEqual(await box.states('drafts'), [])
})
