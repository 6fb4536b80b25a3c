import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openBrowser, Visitor } from '#test/web/browser.ts'
import { boxOf, reader } from '#test/web/mailbox.ts'
import { World } from '#test/world/world.ts'

const browser = await openBrowser()
after(() => browser.close())

const hour = 3_600_000

for (const [role, seesKeys, makes] of [
  ['owner', true, 'New label'],
  ['admin', true, 'New label'],
  ['member', false, 'New own label'],
] as const) {
  test(`somebody who is invited as ${role} signs in, makes a label, and schedules a message that arrives`, async () => {
    // Its own world, since its clock advances by two days.
    await using world = await World.start({ web: true })
    const box = await boxOf(world)
    const { organization, address } = box
    const email = `grace@${organization.domain}`
    await using ada = await reader(browser, box)
    const { page } = ada
    const dialog = page.getByRole('dialog')
    await ada.open('/mailboxes')
    await page.getByRole('button', { name: 'New mailbox' }).click()
    await dialog.getByLabel('Name before the @').fill('grace')
    await dialog.getByRole('button', { name: 'Create mailbox' }).click()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('link', { name: 'Members' }).click()
    await page.getByRole('button', { name: 'Add a member' }).click()
    await dialog.getByLabel('E-mail address').fill(email)
    await dialog.getByRole('button', { name: /Role/ }).click()
    await page.getByRole('option', { name: new RegExp(`^${role}`, 'i') }).click()
    await dialog.getByRole('button', { name: 'Add member' }).click()
    const link = await page
      .getByRole('dialog', { name: `A link for ${email}` })
      .locator('code')
      .textContent()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('row', { name: new RegExp(`${email}.*${role}`) }).waitFor()
    const inbox = page.getByRole('link', { name: 'Inbox' }).first()
    await inbox.click()
    await page.getByText('Your inbox is empty').waitFor()

    await using grace = await Visitor.open(browser, world.base)
    const theirs = grace.page
    await theirs.goto(link ?? '')
    await theirs.getByRole('button', { name: 'Sign in' }).click()
    await theirs.getByRole('heading', { name: 'Overview' }).waitFor()
    assert.equal(await theirs.getByRole('link', { name: 'API keys' }).isVisible(), seesKeys)
    await theirs.getByRole('link', { name: 'Labels' }).click()
    await theirs.getByRole('button', { name: makes }).click()
    await theirs.getByLabel('Name').fill('Journeys')
    await theirs.getByRole('button', { name: 'Create' }).click()
    await theirs.getByRole('row', { name: /Journeys/ }).waitFor()
    // The row may come by the live stream, before the dialog has closed, in which keys do nothing else.
    await theirs.getByRole('dialog').waitFor({ state: 'detached' })

    await theirs.keyboard.press('c')
    await theirs.getByLabel('To', { exact: true }).and(theirs.locator(':focus')).waitFor()
    await theirs.keyboard.type(`${address},`)
    await theirs.getByLabel('Subject').fill('See you')
    await theirs.getByRole('textbox', { name: 'Message' }).fill('At nine.')
    await theirs.getByRole('button', { name: 'Send later' }).click()
    const later = theirs.getByRole('dialog', { name: 'Send later' })
    await later.getByRole('button', { name: 'Tomorrow morning' }).click()
    await later.getByRole('button', { name: 'Schedule' }).click()
    await theirs.getByRole('alertdialog').filter({ hasText: 'Message leaves' }).waitFor()
    await theirs.getByRole('link', { name: 'Scheduled' }).click()
    await theirs.getByRole('row', { name: new RegExp(`See you.*${address}.*${email}.*Waiting`) }).waitFor()

    world.clock.advance(48 * hour)
    await world.rounds.processAll()
    await world.outbound.processAll()
    await page.getByRole('grid').getByRole('link', { name: 'See you', exact: true }).click()
    await page.frameLocator('article iframe').getByText('At nine.').waitFor()
    for (const visitor of [ada, grace]) assert.deepEqual(visitor.errors, [])
    await grace.open('/scheduled')
    await theirs.getByText('Nothing is scheduled').waitFor()
  })
}
