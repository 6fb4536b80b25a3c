import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordBounces } from '#/suppressions/queries.ts'
import { press } from '#test/web/app.ts'
import { type Box, boxOf } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'
import { signIn } from '#test/world/members/signed-in.ts'

const { world, visit } = await startSite()

/** Mail of the box to the addresses bounces twice. */
async function suppress(
  { organization, id }: Pick<Box, 'organization' | 'id'>,
  ...addresses: readonly string[]
): Promise<void> {
  const bounce = { organizationId: organization.id, mailboxId: id, cause: 'bounced', status: '5.1.1' } as const
  const bounces = addresses.map((address) => ({ ...bounce, address, reply: '550 5.1.1 No such user' }))
  for (let times = 0; times < 2; times++) await world.db.transaction().execute((tx) => recordBounces(tx, bounces))
}

test('one of many suppressed addresses is found, and sent to again', async () => {
  const box = await boxOf(world)
  await suppress(box, ...Array.from({ length: 101 }, (_, number) => `gone-${number}@there.example`))
  const { visitor, page } = await visit(box, '/suppressed')
  const rows = page.getByRole('table', { name: 'Suppressed addresses' }).locator('tbody tr')
  await rows.getByText('550 5.1.1 No such user').nth(99).waitFor()
  assert.equal(await rows.count(), 100)
  await visitor.assertSoundAnywhere()
  await page.getByRole('button', { name: 'Show more' }).click()
  await rows.nth(100).waitFor()
  await page.getByLabel('Find').fill('GONE-10@')
  await rows.nth(1).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Send again to gone-10@there.example' }).click()
  await press(page, 'Send again')
  await page.getByText('None of the suppressed addresses has “GONE-10@” in it.').waitFor()
  const { body } = await box.organization.request('GET', '/v1/suppressions')
  assert.equal(JSON.stringify(body.data).includes('gone-10@there.example'), false)
  await page.getByLabel('Find').fill('')
  await rows.first().waitFor()
})

test('what another member ends is gone without a reload, and is offered to those alone who may send', async () => {
  const box = await boxOf(world)
  const { organization } = box
  const desk = await organization.mailbox('desk')
  const ada = await signIn(organization, box.memberId)
  const shared = await ada.request('PUT', `/v1/mailboxes/${desk.address}/access/${box.memberId}`, { level: 'read' })
  assert.equal(shared.status, 200)
  await suppress(box, 'own@there.example')
  await suppress({ organization, id: desk.id }, 'desk@there.example')
  const { page } = await visit(box, '/suppressed')
  await page.getByRole('row', { name: /desk@there\.example/ }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Send again to desk@there.example' }).count(), 0)
  await page.getByRole('button', { name: 'Send again to own@there.example' }).waitFor()
  assert.equal((await organization.request('DELETE', '/v1/suppressions/own%40there.example')).status, 200)
  await page.getByRole('row', { name: /own@there\.example/ }).waitFor({ state: 'detached' })
})
