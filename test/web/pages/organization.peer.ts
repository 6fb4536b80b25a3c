import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { dialog, focusOn, press, tabTo } from '#test/web/app.ts'
import { Visitor } from '#test/web/browser.ts'
import { boxOf, reader } from '#test/web/mailbox.ts'
import { qrText } from '#test/web/qr-text.ts'
import { startSite } from '#test/web/site.ts'
import { linkFor } from '#test/world/members/signed-in.ts'
import { applicationOf } from '#test/world/members/totp.ts'

const { world, browser, visit } = await startSite()

/** An owner's browser at a page. */
async function arrive(path: string) {
  const box = await boxOf(world)
  return { box, organization: box.organization, ...(await visit(box, path)) }
}

test('the records of a domain are downloaded as a zone file', async () => {
  const { organization, visitor, page } = await arrive('/')
  const domain = `shop.${organization.domain}`
  assert.equal((await organization.request('POST', '/v1/domains', { domain })).status, 201)
  await visitor.open('/domains')
  const link = page.getByRole('region', { name: domain }).getByRole('link', { name: 'zone file' })
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
  assert.equal(download.suggestedFilename(), `${domain}.zone`)
  assert.match(await readFile(await download.path(), 'utf8'), new RegExp(`^${domain}\\..* MX `, 'm'))
})

test('the keyboard alone signs in, finds a page and makes a label', async () => {
  const { organization, memberId } = await boxOf(world)
  await using visitor = await Visitor.open(browser, world.base)
  const { page } = visitor
  await page.goto(await linkFor(organization, memberId))
  await focusOn(page.getByRole('button', { name: 'Sign in' }))
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await tabTo(page.getByRole('link', { name: 'Labels', exact: true }))
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Labels', level: 1 }).waitFor()
  await tabTo(page.getByRole('button', { name: 'New label', exact: true }).first())
  await page.keyboard.press('Enter')
  await focusOn(dialog(page).getByLabel('Name'))
  await page.keyboard.type('By hand')
  await page.keyboard.press('Enter')
  await page.getByRole('row', { name: /By hand/ }).waitFor()
})

test('what was typed stays while the network is away, and where the service refuses it', async () => {
  const { page } = await arrive('/labels')
  await page.getByRole('button', { name: 'New label' }).first().click()
  await page.getByLabel('Name').fill('Offline')
  await page.context().setOffline(true)
  await press(page, 'Create')
  await page.getByRole('alert').getByText('cannot be reached').waitFor()
  assert.equal(await page.getByLabel('Name').inputValue(), 'Offline')
  await page.context().setOffline(false)
  await press(page, 'Create')
  await page.getByRole('row', { name: /Offline.*0 messages with Offline.*by ada@/ }).waitFor()
  await dialog(page).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'New label' }).first().click()
  await page.getByLabel('Name').fill('offline')
  await press(page, 'Create')
  await dialog(page).getByText('names may not differ in case alone').waitFor()
  assert.equal(await page.getByLabel('Name').inputValue(), 'offline')
})

test('an ended session leads to the sign-in, and from there back to the page', async () => {
  const { box, organization, visitor, page } = await arrive('/')
  await page.context().clearCookies()
  await page.goto('/labels')
  await page.getByRole('button', { name: 'Use a sign-in link' }).click()
  await page.getByLabel('Sign-in link').fill('no link of ours')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').waitFor()
  await visitor.assertSoundAnywhere()
  await page.getByLabel('Sign-in link').fill(await linkFor(organization, box.memberId))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Labels', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Password').waitFor()
  await visitor.assertSoundAnywhere()
})

test('a member sets a password and a second factor, signs in with both, and confirms with both what is dangerous', async () => {
  const organization = await world.organization()
  const email = `grace@${organization.domain}`
  const { id } = await organization.member(email)
  await using visitor = await Visitor.signIn(browser, organization, id)
  const { page } = visitor
  const password = 'violet anchors hum at noon'
  await visitor.open('/profile')
  await page.getByRole('button', { name: 'Set a password' }).click()
  await page.getByLabel('New password').fill('password1234')
  await press(page, 'Save')
  await dialog(page).getByText('too easily guessed').waitFor()
  await page.getByLabel('New password').fill(password)
  await press(page, 'Save')
  await page.getByRole('button', { name: 'Add a second factor' }).click()
  await press(page, 'Begin')
  const uri = await page.getByRole('link', { name: 'open it' }).getAttribute('href')
  assert.equal(await qrText(page.getByRole('img', { name: 'QR code' })), uri)
  const code = applicationOf(uri ?? '')
  await page.getByLabel('The code that it shows').fill(code(world.clock.now()))
  await press(page, 'Finish')
  const codes = (await page.getByRole('dialog', { name: 'is set up' }).locator('code').textContent()) ?? ''
  await press(page, 'Done')
  await page.getByRole('button', { name: 'Remove second factor' }).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()

  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel('Code of your second factor').fill(codes.split('\n')[0] ?? '')
  await visitor.assertSoundAnywhere()
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()

  world.clock.advance(11 * 60_000)
  await visitor.open('/profile')
  await page.getByRole('button', { name: 'Remove second factor' }).click()
  await press(page, 'Remove')
  await page.getByLabel('Your password').fill(password)
  await page.getByLabel('Code of your second factor').fill(code(world.clock.now()))
  await visitor.assertSound()
  await press(page, 'Remove')
  await page.getByRole('button', { name: 'Add a second factor' }).waitFor()
})

test('an owner makes a mailbox, whose password is shown until they say that they have it', async () => {
  const { organization, page } = await arrive('/mailboxes')
  const address = `desk@${organization.domain}`
  await page.getByRole('button', { name: 'New mailbox' }).click()
  await page.getByLabel('Name before the @').fill('Desk')
  await press(page, 'Create mailbox')
  const made = dialog(page, `${address} is there`)
  assert.match((await made.locator('code').textContent()) ?? '', /^\S{16,}$/)
  await page.mouse.click(1, 1)
  assert.deepEqual(await made.getByRole('button').allTextContents(), ['Copy', 'Done'])
  await press(page, 'Done')
  await made.waitFor({ state: 'detached' })
  await page.getByRole('link', { name: address }).waitFor()
})

test('an owner makes a key that is restricted, sees to what and when it was used, and revokes it', async () => {
  const { box, organization, visitor, page } = await arrive('/api-keys')
  await page.getByRole('button', { name: 'New API key' }).first().click()
  const fill = (label: string, value: string) => dialog(page).getByLabel(label).fill(value)
  await fill('Name', 'Shop')
  await dialog(page).getByLabel('Read: Messages').locator('xpath=ancestor-or-self::label').click()
  await fill('Only these mailboxes', box.address)
  await fill('Only to these recipients', '@customers.example, boss@example.com')
  await fill('Only from these networks', '127.0.0.1/8')
  await press(page, 'Create key')
  // An address outside its networks.
  await dialog(page).locator('input[name=networks][aria-invalid=true]').waitFor()
  await fill('Only from these networks', '127.0.0.0/8')
  await press(page, 'Create key')
  const key = await dialog(page, 'The key is made').locator('code').textContent()
  await press(page, 'Done')
  const row = page.getByRole('row').filter({ hasText: 'Shop' })
  for (const text of [
    ...[`Only mailboxes: ${box.address}`, 'Only recipients: @customers.example, boss@example.com'],
    ...['Only networks: 127.0.0.0/8', 'Never'],
  ])
    await row.getByText(text, { exact: true }).waitFor()
  await visitor.assertSoundAnywhere()
  const used = new Date('2026-01-02T03:04:00.000Z')
  await world.db.updateTable('api_keys').set({ last_used_at: used }).where('name', '=', 'Shop').execute()
  await visitor.open('/api-keys')
  await row.locator(`time[datetime="${used.toISOString()}"]`).waitFor()
  const asked = await organization.request('GET', `/v1/messages?mailbox=${box.address}`, undefined, { key })
  assert.equal(asked.status, 200)
  await page.getByRole('button', { name: 'Revoke Shop' }).click()
  await press(page, 'Revoke key')
  await page.getByRole('row', { name: /Shop.*Revoked/ }).waitFor()
  await visitor.open('/audit')
  await page.getByRole('row', { name: /key revoked/ }).waitFor()
})

test('an owner shares a mailbox, answers for it while away, suspends and deletes it', async () => {
  const { box, organization, visitor, page } = await arrive('/mailboxes')
  const { address } = box
  const desk = (await organization.mailbox('desk')).address
  await organization.member(`bob@${organization.domain}`)
  const open = (name: string) => page.getByRole('button', { name, exact: true }).click()
  await visitor.open('/mailboxes')
  await page.getByRole('link', { name: desk }).click()
  await page.getByText('Nobody reads it here').waitFor()
  const notShown = page.getByText('It is neither yours nor shared with you.')
  await notShown.waitFor()
  await visitor.assertSoundAnywhere()
  await open('Share')
  await press(page, 'Share')
  await page.getByRole('row', { name: new RegExp(address) }).waitFor()
  await open(`End access of ${address}`)
  await press(page, 'End access')
  await page.getByText('Nobody reads it here').waitFor()

  await visitor.open(`/mailboxes/${address}`)
  await open('Share')
  await press(page, 'Share')
  await dialog(page).waitFor({ state: 'detached' })
  await visitor.open('/profile')
  await page.getByRole('row', { name: /Read, label and move/ }).waitFor()

  await visitor.open(`/mailboxes/${address}`)
  for (const [button, label, value, shown] of [
    ['Change auto-reply', 'Text', 'Away until Monday', 'Away until Monday'],
    ['Change auto-reply', 'Until', '2099-12-24T18:00', /^Until in \d+ years$/],
    ['Change forwarding', 'Forward to', 'ada@else.example', 'To ada@else.example'],
  ] as const) {
    await open(button)
    await dialog(page).getByLabel(label).fill(value)
    await press(page, 'Save')
    await page.getByText(shown).waitFor()
    await dialog(page).waitFor({ state: 'detached' })
  }
  assert.equal(await notShown.count(), 0)
  await open('Change auto-reply')
  await page.getByText('Answer what arrives').click()
  await press(page, 'Save')
  // Its text stays.
  await page.getByText(/^Until in/).waitFor({ state: 'detached' })
  await page.getByText('Away until Monday').waitFor()
  await open('Change forwarding')
  await dialog(page).getByLabel('Forward to').fill(address)
  await press(page, 'Save')
  await page.locator('input[aria-invalid=true]').waitFor()

  await visitor.open(`/mailboxes/${desk}`)
  await open('Suspend')
  await press(page, 'Suspend')
  await page.getByText('Suspended').waitFor()
  await open('Delete')
  const erase = dialog(page).getByRole('button', { name: 'Delete mailbox and mail' })
  assert.equal(await erase.isDisabled(), true)
  await page.getByLabel('Type its address').fill(desk)
  await erase.click()
  await page.getByRole('heading', { name: 'Mailboxes', level: 1 }).waitFor()
  await page.getByRole('link', { name: desk }).waitFor({ state: 'detached' })
  await visitor.assertFits()
})

test('an owner gives a member another role, which shows to them, and removes them', async () => {
  const { organization, visitor, page } = await arrive('/')
  const email = `bob@${organization.domain}`
  const { id } = await organization.member(email)
  await using theirs = await Visitor.signIn(browser, organization, id)
  const row = page.getByRole('row').filter({ hasText: email })
  await visitor.open('/members')
  await page.getByRole('button', { name: `Role of ${email}` }).click()
  assert.equal(await dialog(page).getByRole('button', { name: 'Save' }).isDisabled(), true)
  await dialog(page).getByRole('button', { name: /Role/ }).click()
  await page.getByRole('option', { name: /^Admin/ }).click()
  await press(page, 'Save')
  await row.getByText('admin', { exact: true }).waitFor()
  await theirs.open('/members')
  await theirs.page.getByRole('button', { name: 'Add a member' }).waitFor()
  await page.getByRole('button', { name: `Remove ${email}` }).click()
  await press(page, 'Remove member')
  await row.waitFor({ state: 'detached' })
  await theirs.page.goto('/members')
  await theirs.page.getByLabel('Password').waitFor()
})

test('a member ends another of their sessions', async () => {
  const { box, visitor, page } = await arrive('/')
  await using __ = await reader(browser, box)
  await visitor.open('/profile')
  const rows = page.getByRole('table', { name: 'Sessions' }).getByRole('row')
  const end = rows.getByRole('button', { name: /^End the session/ })
  await end.waitFor()
  assert.equal(await rows.filter({ hasText: 'This one' }).getByRole('button').count(), 0)
  await end.click()
  await press(page, 'End session')
  await end.waitFor({ state: 'detached' })
  await rows.filter({ hasText: 'This one' }).waitFor()
})
