import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import decodeQR from 'qr/decode.js'
import { isGenuine, Receiver } from '#test/events/webhooks/receiver.ts'
import { click, dialog, fillIn, focusOn, holds, press, tabTo } from '#test/web/app.ts'
import { Visitor } from '#test/web/browser.ts'
import { boxOf } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'
import { Enrolled } from '#test/world/dns/enrolled.ts'
import { linkFor } from '#test/world/members/signed-in.ts'
import { applicationOf } from '#test/world/members/totp.ts'

const { world, browser, visit, arrive } = await startSite({ env: { MAILROOM_WEBHOOK_NETWORKS: 'loopback' } })

test('the keyboard alone signs in, finds a page and makes a label', async () => {
  const { organization, memberId } = await boxOf(world)
  const { page } = await Visitor.open(browser, world.base)
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
  await page.context().setOffline(true)
  await fillIn(page, 'New label', { Name: 'Offline' }, 'Create')
  await page.getByRole('alert').getByText('cannot be reached').waitFor()
  assert.equal(await page.getByLabel('Name').inputValue(), 'Offline')
  await page.context().setOffline(false)
  await press(page, 'Create')
  await page.getByRole('row', { name: /Offline.*0 messages with Offline.*by ada@/ }).waitFor()
  await dialog(page).waitFor({ state: 'detached' })
  await fillIn(page, 'New label', { Name: 'offline' }, 'Create')
  await dialog(page).getByText('names may not differ in case alone').waitFor()
  assert.equal(await page.getByLabel('Name').inputValue(), 'offline')
})

test('an ended session leads to the sign-in, and from there back to the page', async () => {
  const { box, visitor, page } = await arrive('/')
  await page.context().clearCookies()
  await page.goto('/labels')
  await click(page, 'Use a sign-in link')
  await page.getByLabel('Sign-in link').fill('no link of ours')
  await click(page, 'Sign in')
  await page.getByRole('alert').waitFor()
  await visitor.assertSoundAnywhere()
  await page.getByLabel('Sign-in link').fill(await linkFor(box.organization, box.memberId))
  await click(page, 'Sign in')
  await page.getByRole('heading', { name: 'Labels', level: 1 }).waitFor()
  await click(page, 'Sign out')
  await page.getByLabel('Password').waitFor()
  await visitor.assertSoundAnywhere()
})

/** The text of a QR code that is shown as a picture of squares, in pixels of a module as a camera sees some. */
async function qrText(picture: Locator, scale = 4): Promise<string> {
  const side = Number((await picture.getAttribute('viewBox'))?.split(' ').at(-1)) * scale
  const path = (await picture.locator('path').getAttribute('d')) ?? ''
  const data = new Uint8Array(side * side * 4).fill(255)
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g))
    for (let row = 0; row < scale; row++) {
      const from = ((Number(y) * scale + row) * side + Number(x) * scale) * 4
      data.fill(0, from, from + scale * 4)
    }
  return decodeQR({ width: side, height: side, data }, { format: 'RGBA' })
}

test('a member sets a password and a second factor, signs in with both, and confirms with both what is dangerous', async () => {
  const { box, visitor, page } = await arrive('/profile', { role: 'member' })
  const password = 'violet anchors hum at noon'
  await fillIn(page, 'Set a password', { 'New password': 'password1234' }, 'Save')
  await dialog(page).getByText('too easily guessed').waitFor()
  await page.getByLabel('New password').fill(password)
  await press(page, 'Save')
  await fillIn(page, 'Add a second factor', {}, 'Begin')
  const uri = await page.getByRole('link', { name: 'open it' }).getAttribute('href')
  assert.equal(await qrText(page.getByRole('img', { name: 'QR code' })), uri)
  const code = applicationOf(uri ?? '')
  await page.getByLabel('The code that it shows').fill(code(world.clock.now()))
  await press(page, 'Finish')
  const codes = (await page.getByRole('dialog', { name: 'is set up' }).locator('code').textContent()) ?? ''
  await press(page, 'Done')
  await page.getByRole('button', { name: 'Remove second factor' }).waitFor()
  await click(page, 'Sign out')

  await page.getByLabel('E-mail address').fill(box.address)
  await page.getByLabel('Password').fill(password)
  await click(page, 'Sign in')
  await page.getByLabel('Code of your second factor').fill(codes.split('\n')[0] ?? '')
  await visitor.assertSoundAnywhere()
  await click(page, 'Sign in')
  await page.getByRole('heading', { name: 'Overview' }).waitFor()

  world.clock.advance(11 * 60_000)
  await visitor.open('/profile')
  await fillIn(page, 'Remove second factor', {}, 'Remove')
  await page.getByLabel('Your password').fill(password)
  await page.getByLabel('Code of your second factor').fill(code(world.clock.now()))
  await visitor.assertSound()
  await press(page, 'Remove')
  await page.getByRole('button', { name: 'Add a second factor' }).waitFor()
})

test('an owner makes a key that is restricted, sees to what and when it was used, and revokes it', async () => {
  const { box, visitor, page } = await arrive('/api-keys')
  await click(page, 'New API key')
  await dialog(page).getByLabel('Read: Messages').locator('xpath=ancestor-or-self::label').click()
  const networks = dialog(page).getByLabel('Only from these networks')
  for (const [label, value] of [
    ['Name', 'Shop'],
    ['Only these mailboxes', box.address],
    ['Only to these recipients', '@customers.example, boss@example.com'],
  ] as const)
    await dialog(page).getByLabel(label).fill(value)
  await networks.fill('127.0.0.1/8')
  await press(page, 'Create key')
  // An address outside its networks.
  await dialog(page).locator('input[name=networks][aria-invalid=true]').waitFor()
  await networks.fill('127.0.0.0/8')
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
  const asked = await box.organization.request('GET', `/v1/messages?mailbox=${box.address}`, undefined, { key })
  assert.equal(asked.status, 200)
  await fillIn(page, 'Revoke Shop', {}, 'Revoke key')
  await page.getByRole('row', { name: /Shop.*Revoked/ }).waitFor()
  await visitor.open('/audit')
  await page.getByRole('row', { name: /key revoked/ }).waitFor()
})

test('an owner shares a mailbox, answers for it while away, suspends and deletes it', async () => {
  const { box, visitor, page } = await arrive()
  const { organization, address } = box
  const desk = (await organization.mailbox('desk')).address
  await organization.member(`bob@${organization.domain}`)
  await visitor.open('/mailboxes')
  await page.getByRole('link', { name: desk }).click()
  await page.getByText('Nobody reads it here').waitFor()
  const notShown = page.getByText('It is neither yours nor shared with you.')
  await notShown.waitFor()
  await fillIn(page, 'Share', {}, 'Share')
  await page.getByRole('row', { name: new RegExp(address) }).waitFor()
  await fillIn(page, `End access of ${address}`, {}, 'End access')
  await page.getByText('Nobody reads it here').waitFor()

  await visitor.open(`/mailboxes/${address}`)
  await fillIn(page, 'Share', {}, 'Share')
  await dialog(page).waitFor({ state: 'detached' })
  await visitor.open('/profile')
  await page.getByRole('row', { name: /Read, label and move/ }).waitFor()

  await visitor.open(`/mailboxes/${address}`)
  for (const [button, label, value, shown] of [
    ['Change auto-reply', 'Text', 'Away until Monday', 'Away until Monday'],
    ['Change auto-reply', 'Until', '2099-12-24T18:00', /^Until in \d+ years$/],
    ['Change forwarding', 'Forward to', 'ada@else.example', 'To ada@else.example'],
  ] as const) {
    await click(page, button)
    await dialog(page).getByLabel(label).fill(value)
    await press(page, 'Save')
    await page.getByText(shown).waitFor()
    await dialog(page).waitFor({ state: 'detached' })
  }
  assert.equal(await notShown.count(), 0)
  await click(page, 'Change auto-reply')
  await page.getByText('Answer what arrives').click()
  await press(page, 'Save')
  // Its text stays.
  await page.getByText(/^Until in/).waitFor({ state: 'detached' })
  await page.getByText('Away until Monday').waitFor()
  await click(page, 'Change forwarding')
  await dialog(page).getByLabel('Forward to').fill(address)
  await press(page, 'Save')
  await page.locator('input[aria-invalid=true]').waitFor()

  await visitor.open(`/mailboxes/${desk}`)
  await fillIn(page, 'Suspend', {}, 'Suspend')
  await page.getByText('Suspended').waitFor()
  await click(page, 'Delete')
  const erase = dialog(page).getByRole('button', { name: 'Delete mailbox and mail' })
  assert.equal(await erase.isDisabled(), true)
  await page.getByLabel('Type its address').fill(desk)
  await erase.click()
  await page.getByRole('heading', { name: 'Mailboxes', level: 1 }).waitFor()
  await page.getByRole('link', { name: desk }).waitFor({ state: 'detached' })
})

test('an owner gives a member another role, which shows to them, and removes them', async () => {
  const { box, visitor, page } = await arrive()
  const email = `bob@${box.organization.domain}`
  const { id } = await box.organization.member(email)
  const row = page.getByRole('row').filter({ hasText: email })
  await visitor.open('/members')
  await click(page, `Role of ${email}`)
  assert.equal(await dialog(page).getByRole('button', { name: 'Save' }).isDisabled(), true)
  await dialog(page).getByRole('button', { name: /Role/ }).click()
  await page.getByRole('option', { name: /^Admin/ }).click()
  await press(page, 'Save')
  await row.getByText('admin', { exact: true }).waitFor()
  const { page: theirs } = await visit(box.of(id), '/members')
  await theirs.getByRole('button', { name: 'Add a member' }).waitFor()
  await fillIn(page, `Remove ${email}`, {}, 'Remove member')
  await row.waitFor({ state: 'detached' })
  await theirs.goto('/members')
  await theirs.getByLabel('Password').waitFor()
})

test('a member ends another of their sessions', async () => {
  const { box, visitor, page } = await arrive()
  await visit(box)
  await visitor.open('/profile')
  const rows = page.getByRole('table', { name: 'Sessions' }).getByRole('row')
  const end = rows.getByRole('button', { name: /^End the session/ })
  await end.click()
  assert.equal(await rows.filter({ hasText: 'This one' }).getByRole('button').count(), 0)
  await press(page, 'End session')
  await end.waitFor({ state: 'detached' })
  await rows.filter({ hasText: 'This one' }).waitFor()
})

test('a domain says of each record what is expected, what was found, the mistake and its remedy', async () => {
  const { box, visitor, page } = await arrive('/', { permissions: ['clipboard-read', 'clipboard-write'] })
  const domain = await Enrolled.enrol(box.organization, `shop.${box.organization.domain}`)
  await visitor.open('/domains')
  const region = page.getByRole('region', { name: `shop.${box.organization.domain}` })
  await region.getByText('0 of 4 records found').waitFor()
  await region.getByText('First check').waitFor()
  assert.equal(await region.getByText('Not checked yet').count(), 4)

  await domain.publish('ownership', 'mx')
  const { dns } = await domain.shown()
  const [spf, dmarc] = ['spf', 'dmarc'].map((wanted) => dns.find(({ purpose }) => purpose === wanted))
  world.dns.set(dmarc?.name ?? '', { txt: ['v=DMARC1; p=none', 'v=DMARC1; p=reject'] })
  world.dns.set(spf?.name ?? '', { mx: [{ exchange: dns[1]?.value ?? '', priority: 10 }], txt: ['v=spf1 -all'] })
  world.clock.advance(60_000)
  await world.domainChecks.run()
  await visitor.open('/domains')
  const shown = (await domain.shown()).dns
  await region.getByText(`2 of ${shown.length} records found`).waitFor()
  await region.getByText(/Checked .*, again/).waitFor()
  for (const { purpose, value, found, fix } of shown.filter(({ problem }) => problem !== null)) {
    const record = region.getByRole('listitem').filter({ hasText: value })
    await record.getByText('Expected').waitFor()
    for (const text of found) await record.getByText(text, { exact: true }).last().waitFor()
    assert.ok(fix, purpose)
    await record.getByText(fix).waitFor()
  }
  await region.getByText('There is another record.').waitFor()
  await region.getByText('There are several records, and only one is allowed.').waitFor()
  await visitor.assertSoundAnywhere()
  for (const [name, text] of [
    ['Copy value of Who may send (SPF)', spf?.value],
    ['Copy name of Policy (DMARC)', dmarc?.name],
  ] as const) {
    await region.getByRole('button', { name }).click()
    // It is written after the click.
    await holds(page, `navigator.clipboard.readText().then((text) => text === ${JSON.stringify(text)})`)
  }
  const link = region.getByRole('link', { name: 'zone file' })
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
  assert.equal(download.suggestedFilename(), `shop.${box.organization.domain}.zone`)
  assert.match(await readFile(await download.path(), 'utf8'), /^shop\..* TXT "v=spf1 /m)
})

test('an owner makes a webhook, whose secret is shown once, tries it out, and has an event delivered again', async () => {
  await using receiver = await Receiver.start()
  receiver.answers = ({ name }, response) =>
    void response.writeHead(name === 'Fails' ? 500 : 204).end(name === 'Fails' ? 'x'.repeat(2_000) : '')
  const { box, visitor, page } = await arrive('/webhooks')
  const inputs = { URL: 'https://127.0.0.1.:25/', Name: 'Help desk', 'Only these events': 'label' }
  await fillIn(page, 'New webhook', inputs, 'Create webhook')
  await page.getByText(/The port of url must be/).waitFor()
  await page.getByLabel('URL').fill(receiver.url)
  await press(page, 'Create webhook')
  const secret = await dialog(page, 'The webhook is made').locator('code').textContent()
  await press(page, 'Done')

  await page.getByRole('link', { name: 'Help desk' }).click()
  await page.getByText('Nothing is delivered yet').waitFor()
  await click(page, 'Send a test')
  await page.getByText('The test event is delivered').waitFor()
  assert.ok(secret && receiver.taken[0] && isGenuine(receiver.taken[0], secret))

  await box.make('/v1/labels', { name: 'Invoices' })
  await receiver.until(({ taken }) => taken.length === 2)
  await page.getByRole('button', { name: /^Deliver label.created/ }).click()
  await press(page, 'Deliver again')
  await receiver.until(({ taken }) => taken.length === 3)
  assert.equal(receiver.taken[2]?.id, receiver.taken[1]?.id)
  await dialog(page).waitFor({ state: 'detached' })
  await box.make('/v1/labels', { name: 'Fails' })
  await page.getByText('It answered 500').waitFor()
  await visitor.assertSoundAnywhere()
  await fillIn(page, 'Delete', {}, 'Delete webhook')
  await page.getByText('No webhooks yet').waitFor()
})
