import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { byOperator } from '#/audit/actor.ts'
import { giveAccess } from '#/mailboxes/access/access.ts'
import { phone, wide } from '#test/web/browser.ts'
import { Box, boxOf, reader } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'

const { world, browser } = await startSite()

/** A picture of one pixel. */
const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const waiting = (page: Page, subject: string) => page.getByRole('article', { name: subject })

/** A member's mailbox, and an owner who may send from it. */
async function supervised(): Promise<{ box: Box; boss: Box }> {
  const box = await boxOf(world, { role: 'member' })
  const { organization, id: mailboxId } = box
  const { id: memberId } = await organization.member('boss@people.example', 'owner')
  const mailbox = { organizationId: organization.id, mailboxId }
  const sharing = { mailbox, memberId, shares: 'all', by: byOperator } as const
  await world.db.transaction().execute((tx) => giveAccess(tx, sharing, 'send'))
  return { box, boss: new Box({ organization, id: mailboxId, address: box.address, memberId }) }
}

/** A program asks that a draft be sent. Answers the draft's id. */
async function asked({ organization, address }: Box, fields: object): Promise<string> {
  const key = await organization.newKey('sending:draft')
  const by = async (path: string, body: object) => {
    const { status, body: answer } = await organization.request('POST', path, body, { key })
    assert.equal(status, 201, JSON.stringify(answer))
    return answer
  }
  const { id } = await by('/v1/drafts', { mailbox: address, to: 'bob@there.example', ...fields })
  await by(`/v1/drafts/${id}/approval`, {})
  return id
}

for (const [what, options] of [
  ['a wide window', wide],
  ['a phone at night', { ...phone, colorScheme: 'dark' as const }],
] as const) {
  test(`what waits is shown as it would leave, and declined or approved, in ${what}`, async () => {
    const { box, boss } = await supervised()
    await using visitor = await reader(browser, boss, options)
    const { page } = visitor
    await visitor.open('/approvals')
    await page.getByText('Nothing waits for approval').waitFor()
    await visitor.assertSound()
    await asked(box, {
      subject: 'The price',
      bcc: 'eve@there.example',
      html: '<p>It is <b>ten</b>.</p>',
      text: 'It is ten.',
    })
    await asked(box, { subject: 'The date', text: 'It is tomorrow.' })
    const price = waiting(page, 'The price')
    await price.getByText('eve@there.example').waitFor()
    await price.locator('iframe').contentFrame().getByText('ten').waitFor()
    const date = waiting(page, 'The date')
    await date.getByText('It is tomorrow.').waitFor()
    await visitor.assertSound()
    await price.getByRole('button', { name: 'Decline' }).click()
    await page.getByLabel('Reason').fill('Too cheap')
    await page
      .getByRole('alertdialog', { name: 'Decline' })
      .or(page.getByRole('dialog'))
      .getByRole('button', { name: 'Decline' })
      .click()
    await price.waitFor({ state: 'detached' })
    await date.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('button', { name: 'Approve and send' }).click()
    await page.getByText('Nothing waits for approval').waitFor()
    const decided = page.getByRole('table', { name: 'Decided approvals' })
    await decided.getByText('Too cheap').waitFor()
    await decided.getByText('Approved').waitFor()
    await visitor.assertSound()
  })
}

test('all that leaves is shown before it is approved: both texts, every field, what is hidden, and every file', async () => {
  const { box, boss } = await supervised()
  const program = Buffer.from('MZ is how a program begins').toString('base64')
  const filename = `${'a long name '.repeat(8)}report.exe`
  await asked(box, {
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
  await using visitor = await reader(browser, boss)
  const { page } = visitor
  await visitor.open('/approvals')
  const offer = waiting(page, 'The offer')
  const html = offer.locator('iframe').contentFrame()
  await html.getByText('Or fifty').waitFor()
  await offer.getByRole('button', { name: 'Approve' }).and(page.locator(':enabled')).waitFor()
  const hidden = offer.getByRole('group', { name: 'Sent too, but not shown above' })
  for (const words of ['<!-- cid:x1 -->', 'It is ninety.', 'Or twenty', 'Or thirty', 'Or forty'])
    await hidden.getByText(words).waitFor()
  for (const words of ['It is sixty.', 'It was seventy.'])
    await offer.getByRole('group', { name: 'Plain text' }).getByText(words).waitFor()
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
  await using writer = await reader(browser, box)
  await using approver = await reader(browser, boss)
  await approver.open('/approvals')
  await approver.page.getByText('Nothing waits for approval').waitFor()
  const { page } = writer
  await writer.open(`/mail/${encodeURIComponent(box.address)}/inbox`)
  await page.keyboard.press('c')
  const composer = page.getByRole('dialog').filter({ has: page.getByRole('button', { name: 'Send', exact: true }) })
  const body = composer.getByRole('textbox', { name: 'Message' })
  await page.getByLabel('To', { exact: true }).and(page.locator(':focus')).waitFor()
  await page.keyboard.type('bob@there.example')
  await page.keyboard.press('Enter')
  await page.getByLabel('Subject').fill('The plan')
  await body.focus()
  await page.keyboard.type('It is done')
  await composer.getByRole('button', { name: 'Ask for approval' }).click()
  await composer.waitFor({ state: 'detached' })
  await waiting(approver.page, 'The plan').waitFor()
  await approver.page.getByRole('link', { name: 'Approvals 1 waiting' }).waitFor()

  await page.getByRole('link', { name: 'Drafts' }).first().click()
  await page.getByRole('row').first().getByRole('link').click()
  await composer.getByText('Waits for approval').waitFor()
  await writer.assertSound()
  await waiting(approver.page, 'The plan').getByRole('button', { name: 'Approve' }).click()
  const send = approver.page.getByRole('button', { name: 'Approve and send' })
  await send.waitFor()
  await body.focus()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(', nearly')
  await composer.getByText('It was edited since approval was asked for').waitFor()
  await approver.page.getByText('Nothing waits for approval').waitFor()
  assert.equal((await box.states('sent')).length, 0)
  await composer.getByRole('button', { name: 'Ask for approval' }).click()
  await composer.waitFor({ state: 'detached' })
  await waiting(approver.page, 'The plan').getByRole('button', { name: 'Approve' }).click()
  await send.click()
  await approver.page.getByText('Nothing waits for approval').waitFor()
  while ((await box.states('drafts')).length > 0) {
    await world.outbound.processAll()
    await pause(100)
  }
  assert.deepEqual([writer.strayed, writer.errors, approver.strayed, approver.errors], [[], [], [], []])
})
