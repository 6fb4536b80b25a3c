import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { phone, Visitor, wide } from '#test/web/browser.ts'
import { qrText } from '#test/web/qr-text.ts'
import { startSite } from '#test/web/site.ts'
import { linkFor } from '#test/world/members/signed-in.ts'
import { applicationOf } from '#test/world/members/totp.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'

const { world, browser } = await startSite()

const paths = [
  ...['/', '/labels', '/filters', '/blocked-senders', '/scheduled', '/domains', '/mailboxes', '/members'],
  ...['/api-keys', '/webhooks', '/approvals', '/suppressed', '/audit', '/changes', '/profile', '/no-such-page'],
]

/** An organization that has some of everything, and Ada, who has the role. */
async function furnished(
  role: 'owner' | 'admin' = 'owner',
): Promise<{ organization: TestOrganization; ada: string; address: string }> {
  const organization = await world.organization()
  const { address } = await organization.mailbox('ada', { name: 'Ada Lovelace' })
  const { id: ada } = await organization.member(address, role)
  await organization.member(`bob@${organization.domain}`)
  const create = async (path: string, body: object) => {
    const { status, bytes } = await organization.request('POST', path, body)
    assert.ok(status < 300, bytes.toString())
  }
  for (const [name, colour] of [
    ['Invoices', 'green'],
    ['Read later', '#336699'],
  ])
    await create('/v1/labels', { name, colour })
  const label = { field: 'subject', op: 'contains', value: 'invoice', action: 'label', argument: 'invoices' }
  await create('/v1/filters', { name: 'Invoices', ...label })
  await create('/v1/filters', { name: 'Boss', field: 'from', op: 'is', value: 'boss@example.com', action: 'star' })
  await create('/v1/blocked-senders', { pattern: '@spam.example' })
  await create('/v1/domains', { domain: `shop.${organization.domain}` })
  const send_at = new Date(world.clock.now() + 3_600_000).toISOString()
  const message = { from: address, to: ['a@example.com'], subject: 'See you on Monday', text: 'At nine.' }
  await create('/v1/scheduled', { ...message, send_at })
  return { organization, ada, address }
}

for (const [what, options] of [
  ['a wide window', wide],
  ['a phone', phone],
] as const) {
  test(`every page is sound in ${what}, by day and by night, filled and empty`, async () => {
    const { organization, ada } = await furnished()
    const empty = await world.organization()
    const { id } = await empty.member(`eve@${empty.domain}`, 'owner')
    await using full = await Visitor.signIn(browser, organization, ada, options)
    await using bare = await Visitor.signIn(browser, empty, id, options)
    for (const visitor of [full, bare])
      for (const path of paths) {
        await visitor.open(path)
        await visitor.assertSoundByDayAndNight()
      }
  })
}

for (const role of ['owner', 'admin'] as const) {
  test(`an ${role} makes, changes and deletes what is the organization’s`, async () => {
    const { organization, ada } = await furnished(role)
    await using visitor = await Visitor.signIn(browser, organization, ada)
    const { page } = visitor
    const dialog = page.getByRole('dialog').or(page.getByRole('alertdialog'))

    await visitor.open('/')
    await page.getByRole('link', { name: 'Labels' }).click()
    await page.getByRole('button', { name: 'New label' }).click()
    await visitor.assertSound()
    await dialog.getByLabel('Name').fill('Invoices')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByText(/is taken|already|exists/i).waitFor()
    await dialog.getByLabel('Name').fill('Travel')
    await dialog.getByRole('button', { name: 'Create' }).click()
    // Who made it is known from the audit trail, which owners alone read.
    await page
      .getByRole('row', {
        name: role === 'owner' ? /Travel.*0 messages with Travel.*by ada@/ : /Travel.*0 messages with/,
      })
      .waitFor()
    await page.getByRole('button', { name: 'Edit Travel' }).click()
    await dialog.getByLabel('Name').fill('Journeys')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row', { name: /Journeys/ }).waitFor()
    await page.getByRole('button', { name: 'Delete Journeys' }).click()
    await visitor.assertSound()
    await dialog.getByRole('button', { name: 'Delete label' }).click()
    await page.getByRole('row', { name: /Journeys/ }).waitFor({ state: 'detached' })

    await page.getByRole('link', { name: 'Scheduled' }).click()
    await page.getByRole('button', { name: 'Cancel See you on Monday' }).click()
    await dialog.getByRole('button', { name: 'Cancel message' }).click()
    await page.getByText('Nothing is scheduled').waitFor()
    assert.deepEqual([visitor.strayed, visitor.errors], [[], []])
  })
}

test('a member sees what the organization has, and no button for what they may not do', async () => {
  const { organization } = await furnished()
  const { id } = await organization.member(`carol@${organization.domain}`)
  await using visitor = await Visitor.signIn(browser, organization, id)
  const main = visitor.page.getByRole('main')
  const theirs = main.getByRole('region', { name: organization.name })
  for (const [path, place] of [
    ['/labels', theirs],
    ['/filters', theirs],
    ['/blocked-senders', theirs],
    ['/domains', main],
    ['/mailboxes', main],
  ] as const) {
    await visitor.open(path)
    await visitor.assertSound()
    await place.waitFor()
    assert.equal(await place.getByRole('button', { name: /^(New|Add|Edit|Delete|Remove|Block)/ }).count(), 0, path)
  }
})

test('the records of a domain are downloaded as a zone file', async () => {
  const { organization, ada } = await furnished()
  await using visitor = await Visitor.signIn(browser, organization, ada)
  await visitor.open('/domains')
  const domain = `shop.${organization.domain}`
  const region = visitor.page.getByRole('region', { name: domain })
  const downloading = visitor.page.waitForEvent('download')
  await region.getByRole('link', { name: 'zone file' }).click()
  const download = await downloading
  assert.equal(download.suggestedFilename(), `${domain}.zone`)
  assert.match(await readFile(await download.path(), 'utf8'), new RegExp(`^${domain}\\..* MX `, 'm'))
})

test('the keyboard alone signs in, finds a page and makes a label', async () => {
  const { organization, ada } = await furnished()
  await using visitor = await Visitor.open(browser, world.base)
  const { page } = visitor
  await page.goto(await linkFor(organization, ada))
  await page.getByRole('button', { name: 'Sign in' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await tabTo(visitor, 'Labels')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Labels', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'New label' }).waitFor()
  await tabTo(visitor, 'New label')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByLabel('Name').and(page.locator(':focus')).waitFor()
  await page.keyboard.type('By hand')
  await page.keyboard.press('Enter')
  await page.getByRole('row', { name: /By hand/ }).waitFor()
})

async function tabTo({ page }: Visitor, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab')
    if ((await page.evaluate('document.activeElement.textContent.trim()')) === name) return
  }
  assert.fail(`Tab does not reach "${name}"`)
}

test('what was typed stays while the network is away', async () => {
  const { organization, ada } = await furnished()
  await using visitor = await Visitor.signIn(browser, organization, ada)
  const { page } = visitor
  await visitor.open('/labels')
  await page.getByRole('button', { name: 'New label' }).click()
  await page.getByLabel('Name').fill('Offline')
  await page.context().setOffline(true)
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('alert').getByText('cannot be reached').waitFor()
  assert.equal(await page.getByLabel('Name').inputValue(), 'Offline')
  await page.context().setOffline(false)
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('row', { name: /Offline/ }).waitFor()
})

test('an ended session leads to the sign-in, and from there back to the page', async () => {
  const { organization, ada } = await furnished()
  await using visitor = await Visitor.signIn(browser, organization, ada)
  const { page } = visitor
  await visitor.open('/')
  await page.context().clearCookies()
  await page.goto('/labels')
  await page.getByRole('button', { name: 'Use a sign-in link' }).click()
  await page.getByLabel('Sign-in link').fill('no link of ours')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').waitFor()
  await visitor.assertSound()
  await page.getByLabel('Sign-in link').fill(await linkFor(organization, ada))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Labels', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Password').waitFor()
  await visitor.assertSound()
})

test('an owner adds a member, who sets a password and a second factor and signs in with both', async () => {
  const { organization, ada } = await furnished()
  await using owner = await Visitor.signIn(browser, organization, ada)
  await owner.open('/members')
  const email = `grace@${organization.domain}`
  await owner.page.getByRole('button', { name: 'Add a member' }).click()
  await owner.page.getByLabel('E-mail address').fill(email)
  await owner.assertSound()
  await owner.page.getByRole('dialog').getByRole('button', { name: 'Add member' }).click()
  const link = await owner.page
    .getByRole('dialog', { name: `A link for ${email}` })
    .locator('code')
    .textContent()
  assert.ok(link)
  await owner.assertSound()

  await using member = await Visitor.open(browser, world.base)
  const { page } = member
  await page.goto(link)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await member.open('/profile')
  await page.getByRole('button', { name: 'Set a password' }).click()
  await page.getByLabel('New password').fill('password1234')
  await page.getByRole('button', { name: 'Save' }).click()
  await page
    .getByRole('dialog')
    .getByText(/guess|common/i)
    .waitFor()
  const password = 'violet anchors hum at noon'
  await page.getByLabel('New password').fill(password)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Add a second factor' }).click()
  await page.getByRole('button', { name: 'Begin' }).click()
  const uri = await page.getByRole('link', { name: 'open it' }).getAttribute('href')
  assert.equal(await qrText(page.getByRole('img', { name: 'QR code' })), uri)
  const code = applicationOf(uri ?? '')
  await member.assertSound()
  await page.getByLabel('The code that it shows').fill(code(world.clock.now()))
  await page.getByRole('button', { name: 'Finish' }).click()
  const [recovery] = (
    (await page.getByRole('dialog', { name: 'is set up' }).locator('code').textContent()) ?? ''
  ).split('\n')
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Remove second factor' }).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()

  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel('Code of your second factor').fill(recovery ?? '')
  await member.assertSound()
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()

  // Later, dangerous actions ask for a confirmation.
  world.clock.advance(11 * 60_000)
  await member.open('/profile')
  await page.getByRole('button', { name: 'Remove second factor' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByLabel('Your password').fill(password)
  await page.getByLabel('Code of your second factor').fill(code(world.clock.now()))
  await member.assertSound()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('button', { name: 'Add a second factor' }).waitFor()
})

for (const role of ['owner', 'admin'] as const) {
  test(`an ${role} makes an API key that works and revokes it, which the audit trail has`, async () => {
    const { organization, ada } = await furnished(role)
    await using visitor = await Visitor.signIn(browser, organization, ada)
    const { page } = visitor
    await visitor.open('/api-keys')
    await page.getByRole('button', { name: 'New API key' }).first().click()
    await page.getByLabel('Name').fill('Shop')
    await page.getByText('Read', { exact: true }).first().click()
    await visitor.assertSound()
    await page.getByRole('button', { name: 'Create key' }).click()
    const key = await page.getByRole('dialog', { name: 'The key is made' }).locator('code').textContent()
    assert.ok(key)
    assert.equal((await organization.request('GET', '/v1/labels', undefined, { key })).status, 403)
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Revoke Shop' }).click()
    await page.getByRole('button', { name: 'Revoke key' }).click()
    await page.getByRole('row', { name: /Shop.*Revoked/ }).waitFor()
    // Owners alone read the audit trail.
    if (role !== 'owner') return
    await visitor.open('/audit')
    await page.getByRole('row', { name: /key revoked/ }).waitFor()
    await page
      .getByRole('row', { name: /key created/ })
      .filter({ hasText: 'Shop' })
      .waitFor()
    await visitor.assertSound()
  })
}

for (const role of ['owner', 'admin'] as const) {
  test(`an ${role} makes a mailbox, whose password is shown once`, async () => {
    const { organization, ada } = await furnished(role)
    await using visitor = await Visitor.signIn(browser, organization, ada)
    const { page } = visitor
    await visitor.open('/mailboxes')
    await page.getByRole('button', { name: 'New mailbox' }).click()
    await page.getByLabel('Name before the @').fill('Desk')
    await visitor.assertSound()
    await page.getByRole('button', { name: 'Create mailbox' }).click()
    const made = page.getByRole('dialog', { name: `desk@${organization.domain} is there` })
    assert.match((await made.locator('code').textContent()) ?? '', /^\S{16,}$/)
    await visitor.assertSound()
    await page.mouse.click(1, 1)
    assert.deepEqual(await made.getByRole('button').allTextContents(), ['Copy', 'Done'])
    await made.getByRole('button', { name: 'Done' }).click()
    await made.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: `desk@${organization.domain}` }).waitFor()
  })
}

test('what one changes, another sees without doing anything', async () => {
  const { organization, ada } = await furnished()
  await using one = await Visitor.signIn(browser, organization, ada)
  await using other = await Visitor.signIn(browser, organization, ada)
  const follows = other.page.waitForResponse((response) => response.url().includes('/v1/events'))
  await other.open('/labels')
  await follows
  await one.open('/labels')
  await one.page.getByRole('button', { name: 'New label' }).click()
  await one.page.getByLabel('Name').fill('Seen')
  await one.page.getByRole('button', { name: 'Create' }).click()
  await other.page.getByRole('row', { name: /Seen/ }).waitFor()
  await organization.request('POST', '/v1/labels', { name: 'By a program' })
  for (const { page } of [one, other]) await page.getByRole('row', { name: /By a program/ }).waitFor()
})

test('an owner shares a mailbox, answers for it while away, suspends and deletes it', async () => {
  const { organization, ada, address } = await furnished()
  const desk = (await organization.mailbox('desk')).address
  await using visitor = await Visitor.signIn(browser, organization, ada)
  const { page } = visitor
  const press = (name: string) =>
    page.getByRole('dialog').or(page.getByRole('alertdialog')).getByRole('button', { name })
  await visitor.open('/mailboxes')
  await page.getByRole('link', { name: desk }).click()
  await page.getByText('Nobody reads it here').waitFor()
  const notShown = page.getByText('It is neither yours nor shared with you.')
  await notShown.waitFor()
  await visitor.assertSound()
  await page.getByRole('button', { name: 'Share' }).click()
  await visitor.assertSound()
  await press('Share').click()
  await page.getByRole('row', { name: new RegExp(address) }).waitFor()
  await visitor.assertSound()
  await page.getByRole('button', { name: `End access of ${address}` }).click()
  await press('End access').click()
  await page.getByText('Nobody reads it here').waitFor()

  await visitor.open(`/mailboxes/${address}`)
  await page.getByRole('button', { name: 'Share' }).click()
  await press('Share').click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await visitor.open('/profile')
  await page.getByRole('row', { name: /Read, label and move/ }).waitFor()
  await visitor.assertSound()

  await visitor.open(`/mailboxes/${address}`)
  await page.getByRole('button', { name: 'Change auto-reply' }).waitFor()
  assert.equal(await notShown.count(), 0)
  await page.getByRole('button', { name: 'Change auto-reply' }).click()
  await page.getByLabel('Text').fill('Away until Monday')
  await visitor.assertSound()
  await press('Save').click()
  await page.getByText('Away until Monday').waitFor()
  await page.getByRole('button', { name: 'Change auto-reply' }).click()
  await page.getByLabel('Until').fill('2099-12-24T18:00')
  await press('Save').click()
  await page.getByText(/^Until in \d+ years$/).waitFor()
  await page.getByRole('button', { name: 'Change auto-reply' }).click()
  await page.getByText('Answer what arrives').click()
  await press('Save').click()
  // Its text stays.
  await page.getByText(/^Until in/).waitFor({ state: 'detached' })
  await page.getByText('Away until Monday').waitFor()
  await page.getByRole('button', { name: 'Change forwarding' }).click()
  await page.getByLabel('Forward to').fill(address)
  await press('Save').click()
  await page.locator('input[aria-invalid=true]').waitFor()
  await page.getByLabel('Forward to').fill('ada@else.example')
  await press('Save').click()
  await page.getByText('To ada@else.example').waitFor()

  await visitor.open(`/mailboxes/${desk}`)
  await page.getByRole('button', { name: 'Suspend' }).click()
  await press('Suspend').click()
  await page.getByText('Suspended').waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  await visitor.assertSound()
  assert.equal(await press('Delete mailbox and mail').isDisabled(), true)
  await page.getByLabel('Type its address').fill(desk)
  await press('Delete mailbox and mail').click()
  await page.getByRole('heading', { name: 'Mailboxes', level: 1 }).waitFor()
  await page.getByRole('link', { name: desk }).waitFor({ state: 'detached' })
  assert.deepEqual([visitor.strayed, visitor.errors], [[], []])
})
