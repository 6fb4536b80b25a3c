import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordBounces } from '#/out/suppressions/queries.ts'
import { click, dialog, openConversation, pathOf, press, says } from '#test/web/app.ts'
import { phone } from '#test/web/browser.ts'
import { type Box, boxOf } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'
import { each } from '#test/world/each.ts'
import { addScheduled } from '#test/world/mail/queued.ts'
import { signIn } from '#test/world/members/signed-in.ts'

const { world, visit, arrive } = await startSite()

const sender = (number: number) => `sender-${number}@many.example`

test('one of many blocked senders is found, and all are shown portion by portion', async () => {
  const box = await boxOf(world)
  for (let number = 0; number < 130; number++) await box.make('/v1/blocked-senders', { pattern: sender(number) })
  const { visitor, page } = await visit(box, '/blocked-senders')
  const rows = page.getByRole('table', { name: 'Blocked by the organization' }).locator('tbody tr')
  await page.getByText('100 of 130').waitFor()
  assert.equal(await rows.count(), 100)
  await visitor.assertSoundAnywhere()
  await click(page, 'Show more')
  await rows.nth(129).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Show more' }).count(), 0)
  await page.getByRole('searchbox', { name: 'Find in Blocked by the organization' }).fill('SENDER-12@')
  await page.getByRole('status').filter({ hasText: '1 of 130' }).waitFor()
  assert.equal(await rows.count(), 1)
  await page.getByRole('button', { name: `Unblock ${sender(12)}` }).waitFor()
})

test('more senders than the rate allows are blocked after a pause, or until one stops', async () => {
  const { box, visitor, page } = await arrive()
  await visitor.takeClock()
  let allowed = 3
  await page.route('**/v1/blocked-senders', async (route) => {
    if (route.request().method() !== 'POST' || allowed-- > 0) return route.continue()
    const error = { code: 'rate_limited', message: 'Too many requests' }
    await route.fulfill({ status: 429, headers: { 'Retry-After': '60' }, json: { error } })
  })
  await visitor.open('/blocked-senders')
  const paste = async (from: number) => {
    await click(page, 'Block senders')
    await page.getByLabel('Addresses or domains').fill([0, 1, 2, 3, 4].map((at) => sender(from + at)).join('\n'))
    const refused = page.waitForResponse((response) => response.status() === 429)
    await press(page, 'Block 5')
    await (await refused).finished()
    await page.getByText('3 of 5').waitFor()
    allowed = 3
  }
  await paste(0)
  await page.clock.runFor(61_000)
  await press(page, 'Done')
  await dialog(page).waitFor({ state: 'detached' })
  await page.getByRole('row', { name: sender(4) }).waitFor()
  allowed = 3
  await paste(10)
  await press(page, 'Stop')
  assert.equal(await page.getByLabel('Addresses or domains').inputValue(), `${sender(13)}\n${sender(14)}`)
  assert.equal((await box.listed('/v1/blocked-senders')).length, 8)
})

test('many senders are blocked by pasting them, with a result for each', async () => {
  const box = await boxOf(world, 'member')
  await box.make('/v1/me/blocked-senders', { pattern: '@loud.example' }, await signIn(box.organization, box.memberId))
  const { visitor, page } = await visit(box, '/blocked-senders', phone)
  const own = page.getByRole('region', { name: 'Your own' })
  await click(page, 'Block for yourself')
  const field = dialog(page).getByLabel('Addresses or domains')
  await field.fill('one@ads.example\nno address\n@loud.example, TWO@ads.example')
  await press(page, 'Block 5')
  const results = dialog(page).getByRole('list', { name: 'Results' }).getByRole('listitem')
  await results.nth(4).waitFor()
  for (const [at, said] of [
    ...[/^one@ads\.example Blocked$/, /^no pattern /, /^address pattern /, /^@loud\.example Was blocked already$/],
    /^TWO@ads\.example Blocked as two@ads\.example$/,
  ].entries())
    assert.match((await results.nth(at).textContent()) ?? '', said)
  assert.equal(await field.inputValue(), 'no\naddress')
  await visitor.assertSound()
  await field.fill('three@ads.example')
  await press(page, 'Block')
  for (const name of ['one', 'two', 'three']) await own.getByText(`${name}@ads.example`).waitFor()
})

/** Mail of the box to the addresses bounces twice. */
async function suppress({ organization, id }: Pick<Box, 'organization' | 'id'>, ...addresses: string[]): Promise<void> {
  const bounce = { organizationId: organization.id, mailboxId: id, cause: 'bounced', status: '5.1.1' } as const
  const bounces = addresses.map((address) => ({ ...bounce, address, reply: '550 5.1.1 No such user' }))
  for (let times = 0; times < 2; times++) await world.db.transaction().execute((tx) => recordBounces(tx, bounces))
}

test('one of many suppressed addresses is found, and sent to again', async () => {
  const box = await boxOf(world)
  await suppress(box, ...Array.from({ length: 101 }, (_, number) => `gone-${number}@there.example`))
  const { page } = await visit(box, '/suppressed')
  const rows = page.getByRole('table', { name: 'Suppressed addresses' }).locator('tbody tr')
  await rows.getByText('550 5.1.1 No such user').nth(99).waitFor()
  assert.equal(await rows.count(), 100)
  await click(page, 'Show more')
  await rows.nth(100).waitFor()
  await page.getByLabel('Find').fill('GONE-10@')
  await rows.nth(1).waitFor({ state: 'detached' })
  await click(page, 'Send again to gone-10@there.example')
  await press(page, 'Send again')
  await page.getByText('None of the suppressed addresses has “GONE-10@” in it.').waitFor()
  assert.ok(!each(await box.listed('/v1/suppressions'), 'address').includes('gone-10@there.example'))
  await page.getByLabel('Find').fill('')
  await rows.first().waitFor()
})

test('what another member ends is gone without a reload, and is offered to those alone who may send', async () => {
  const box = await boxOf(world)
  const { organization } = box
  const desk = await organization.mailbox('desk')
  const ada = await signIn(organization, box.memberId)
  await ada.request('PUT', `/v1/mailboxes/${desk.address}/access/${box.memberId}`, { level: 'read' })
  await suppress(box, 'own@there.example')
  await suppress({ organization, id: desk.id }, 'desk@there.example')
  const { page } = await visit(box, '/suppressed')
  await page.getByRole('row', { name: /desk@there\.example/ }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Send again to desk@there.example' }).count(), 0)
  await page.getByRole('button', { name: 'Send again to own@there.example' }).waitFor()
  await organization.bodyOf(200, 'DELETE', '/v1/suppressions/own%40there.example')
  await page.getByRole('row', { name: /own@there\.example/ }).waitFor({ state: 'detached' })
})

test('recent changes are listed and undone, and what is merely read is not among them', async () => {
  const { box, visitor, page } = await arrive()
  for (const subject of ['The engine', 'The moon']) await box.receive({ subject, text: 'Look.' })
  await visitor.open(pathOf(box))
  const read = page.waitForResponse((response) => response.request().method() === 'PATCH')
  await openConversation(page, 'The engine')
  await read
  await visitor.open('/changes')
  await page.getByText('No changes').waitFor()
  for (const change of [{ unread: true }, { starred: true }, { folder: 'archive', unread: false }])
    await box.change(change)
  await visitor.open('/changes')
  await page.getByText('2 messages starred').waitFor()
  await visitor.assertSoundAnywhere()
  await click(page, 'Undo 2 messages moved to Archive, marked as read')
  await says(page, 'Undone')
  await page.getByText('Undone: 2 messages moved to Inbox, marked as unread').waitFor()
  assert.deepEqual(each(await box.states(), 'unread', 'starred'), Array(2).fill([true, true]))
})

test('of more scheduled messages than one page has, the later ones are shown when asked for, with the key that did it', async () => {
  const box = await boxOf(world)
  const { organization, address: from } = box
  // For the browser, whose clock is not ahead.
  const soon = Date.now() + 3_500_000
  for (let n = 0; n < 200; n++)
    await addScheduled(world.db, organization.id, ['a@peer.example'], new Date(soon + n * 1_000))
  // Who reads a mailbox sees what it sends.
  for (const [table, change] of [
    ['api_keys', { name: 'Newsletter' }],
    ['outbound_messages', { mailbox_id: box.id }],
  ] as const)
    await world.db.updateTable(table).set(change).where('organization_id', '=', organization.id).execute()
  const send_at = new Date(soon + 86_400_000).toISOString()
  await box.make('/v1/scheduled', { from, to: ['a@peer.example'], subject: 'The last one', text: 'Hello', send_at })
  const { visitor, page } = await visit(box)
  await visitor.takeClock()
  await visitor.open('/scheduled')
  const last = page.getByRole('row').filter({ hasText: 'The last one' })
  await page.getByRole('button', { name: 'Later messages' }).waitFor()
  assert.equal(await last.count(), 0)
  await click(page, 'Later messages')
  await last.filter({ hasText: 'Key “Newsletter”' }).waitFor()
  // The remaining time, which counts down, and the time itself.
  await last.getByText(/^\d+ days?,? \d+ hr/).waitFor()
  await last.locator(`time[datetime="${send_at}"]`).waitFor()
  const next = page.getByRole('table', { name: 'Scheduled messages' }).getByRole('row').nth(1)
  const left = await next.getByText(/^\d+ mins?,? \d+ secs?$/).textContent()
  await page.clock.fastForward(60_000)
  await next.getByText(left ?? '', { exact: true }).waitFor({ state: 'detached' })
  assert.equal(await page.getByRole('button', { name: 'Later messages' }).count(), 0)
  await last.getByRole('button', { name: 'Cancel' }).click()
  await press(page, 'Cancel message')
  await last.waitFor({ state: 'detached' })
})
