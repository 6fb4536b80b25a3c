import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Receiver } from '#test/events/webhooks/receiver.ts'
import { closeByEscape, dialog, fillIn, focusOn, openConversation, pathOf, recipients } from '#test/web/app.ts'
import { windows } from '#test/web/browser.ts'
import { furnished } from '#test/web/furnished.ts'
import type { Box } from '#test/web/mailbox.ts'
import { visitWithDevice } from '#test/web/passkey-device.ts'
import { startSite } from '#test/web/site.ts'
import { each } from '#test/world/each.ts'
import { signIn } from '#test/world/members/signed-in.ts'
import { applicationOf } from '#test/world/members/totp.ts'
import { namesIn, notShown } from './dialog-names.ts'

const { world, browser } = await startSite({ env: { MAILROOM_WEBHOOK_NETWORKS: 'loopback' } })

/** An owner, with something that each dialog is about. */
async function owned(receiver: Receiver) {
  const { desk, members, params } = await furnished(world, { webhook: receiver.url })
  const box = members.get('owner') as Box
  const { organization, address } = box
  const ada = await signIn(organization, box.memberId)
  const bob = `bob@${organization.domain}`
  await organization.member(bob)
  const subject = { field: 'subject', op: 'contains', value: 'engine', action: 'star' }
  await box.make('/v1/me/filters', { name: 'Mine', ...subject }, ada)
  const [{ id: filter }] = await box.listed('/v1/filters')
  await box.make(`/v1/filters/${filter}/runs`, { folders: ['inbox'] }, ada)
  const send_at = new Date(world.clock.now() + 3_600_000).toISOString()
  const message = { from: desk.address, to: ['a@example.com'], subject: 'Tuesday', text: 'At nine.', send_at }
  const { id: failing } = await box.make('/v1/scheduled', message)
  const failed = { state: 'failed', last_error: 'The relay refused', failed_at: new Date() } as const
  await world.db.updateTable('outbound_messages').set(failed).where('id', '=', failing).execute()
  for (const name of ['Plans/Old', 'Plans', 'Tea']) await box.make(`/v1/folders?mailbox=${address}`, { name })
  await box.make('/v1/labels', { name: 'Letters' })
  await receiver.until(({ taken }) => taken.length > 0)
  await box.receive({ subject: 'The engine', text: 'Is it oiled?' })
  await box.change({ folder: 'trash' })
  await box.receive({ subject: 'The sun', text: 'It is up.' })
  const clerk = members.get('member')?.address ?? ''
  return { box, bob, clerk, desk: desk.address, webhook: `/webhooks/${params.id}` }
}

for (const [what, options] of windows)
  test(`every dialog and every menu is sound in ${what}`, async () => {
    await using receiver = await Receiver.start()
    const { box, bob, clerk, desk, webhook } = await owned(receiver)
    const shop = `shop.${box.organization.domain}`
    const { address } = box
    const { visitor, page } = await visitWithDevice(browser, box.organization, box.memberId, options)
    const shown = new Set<string>()

    const named = (name: string) => dialog(page, name)
    /** Looks at a dialog that opens, and at what each of its fields lets one choose from. */
    async function look(name: string): Promise<void> {
      await named(name).waitFor()
      await visitor.assertSound(named(name))
      for (const field of await named(name).locator('button[aria-haspopup=listbox]').all()) {
        await field.click()
        await page.getByRole('option').first().waitFor()
        await visitor.assertSound(page.getByRole('listbox'))
        await page.keyboard.press('Escape')
        await page.getByRole('option').first().waitFor({ state: 'detached' })
        await focusOn(field)
      }
      shown.add(name)
    }
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
    async function close(name: string, by?: string): Promise<void> {
      if (by === undefined) return closeByEscape(page, named(name))
      await named(name).getByRole('button', { name: by, exact: true }).click()
      await named(name).waitFor({ state: 'detached' })
    }
    /** Opens dialogs of a page and closes them again. */
    async function lookAt(path: string, dialogs: readonly (readonly [button: string, name: string, by?: string])[]) {
      await visitor.open(path)
      for (const [button, name, by] of dialogs) {
        await press(button)
        await look(name)
        await close(name, by)
      }
    }
    /** What is shown once stays whatever else is pressed, until it is said to be there. */
    async function lookAtSecret(name: string) {
      await look(name)
      assert.match((await named(name).locator('code').textContent()) ?? '', /\S{8}/)
      await page.mouse.click(1, 1)
      assert.deepEqual((await named(name).getByRole('button').allTextContents()).slice(-1), ['Done'])
      await close(name, 'Done')
    }

    await lookAt('/labels', [
      ['New label', 'New label'],
      ['New own label', 'New label of your own'],
      ['Edit Invoices', 'Edit Invoices'],
      ['Merge Invoices into another', 'Merge Invoices into another label'],
      ['Delete Invoices', 'Delete Invoices?'],
      ['Adopt stray', 'A label for stray'],
      ['Remove everywhere: stray', 'Remove stray everywhere?'],
    ])
    await lookAt('/suppressed', [['Send again to gone@there.example', 'Send to gone@there.example again?']])
    await lookAt('/filters', [
      ['New filter', 'New filter'],
      ['New own filter', 'New filter of your own'],
      ['Edit Bills', 'Edit the filter Bills'],
      ['Delete Bills', 'Delete the filter Bills?'],
      ['Try on a message', 'Try on a message'],
      ['On old mail: Bills', 'Run Bills on old mail'],
      ['Run all on old mail', 'Run all filters on old mail'],
      ['Run own on old mail', 'Run all of your own filters on old mail'],
      ['Show Bills', 'Bills on old mail', 'Close'],
    ])
    await lookAt('/blocked-senders', [
      ['Block senders', 'Block senders'],
      ['Block for yourself', 'Block senders for yourself'],
      ['Unblock @spam.example', 'Unblock @spam.example?'],
    ])
    await lookAt('/scheduled', [
      ['Cancel Monday', 'Cancel this message?'],
      ['Send Tuesday again', 'Send it again?'],
    ])
    await lookAt('/approvals', [
      ['Approve', 'Send this message?'],
      ['Decline', 'Decline this draft?'],
    ])
    await lookAt('/domains', [
      ['Add a domain', 'Add a domain'],
      [`Remove ${shop}`, `Remove ${shop}?`],
    ])
    await lookAt('/members', [
      ['Add a member', 'Add a member'],
      [`New link for ${bob}`, `A new link for ${bob}?`],
      [`Role of ${bob}`, `Role of ${bob}`],
      [`Remove ${bob}`, `Remove ${bob}?`],
    ])
    const grace = `grace@${box.organization.domain}`
    await fillIn(page, 'Add a member', { 'E-mail address': grace }, 'Add member')
    await lookAtSecret(`A link for ${grace}`)

    await lookAt('/mailboxes', [['New mailbox', 'New mailbox']])
    await fillIn(page, 'New mailbox', { 'Name before the @': 'shop' }, 'Create mailbox')
    const made = `shop@${box.organization.domain} is there`
    await lookAtSecret(made)
    await lookAt(`/mailboxes/${address}`, [
      ['Change forwarding', `Forwarding of ${address}`],
      ['Change auto-reply', `Auto-reply of ${address}`],
    ])
    await lookAt(`/mailboxes/${desk}`, [
      ['Share', `Share ${desk}`],
      [`End access of ${clerk}`, `End access of ${clerk}?`],
      ['Delete', `Delete ${desk}?`],
      ['Suspend', `Suspend ${desk}?`],
    ])
    await fillIn(page, 'Suspend', {}, 'Suspend')
    await page.getByText('Suspended', { exact: true }).waitFor()
    await lookAt(`/mailboxes/${desk}`, [['Resume', `Resume ${desk}?`]])

    await lookAt('/api-keys', [['New API key', 'New API key']])
    await press('New API key')
    await named('New API key').getByLabel('Name', { exact: true }).fill('Shop')
    await named('New API key').getByText('Read', { exact: true }).first().click()
    await named('New API key').getByRole('button', { name: 'Create key' }).click()
    await lookAtSecret('The key is made')
    await lookAt('/api-keys', [['Revoke Shop', 'Revoke Shop?']])

    await lookAt('/webhooks', [['New webhook', 'New webhook']])
    await fillIn(page, 'New webhook', { URL: receiver.url, Name: 'Desk' }, 'Create webhook')
    await lookAtSecret('The webhook is made')
    await visitor.open(webhook)
    await page
      .getByRole('button', { name: /^Deliver label\.created/ })
      .first()
      .click()
    await look('Deliver label.created again?')
    await close('Deliver label.created again?')
    await lookAt(webhook, [
      ['Change', 'Change webhook'],
      ['New secret', 'Make a new secret?'],
      ['Delete', 'Delete this webhook?'],
      ['Pause', 'Pause this webhook?'],
    ])
    await fillIn(page, 'New secret', {}, 'New secret')
    await lookAtSecret('The new secret')
    await fillIn(page, 'Pause', {}, 'Pause')
    await page.getByText('Paused', { exact: true }).waitFor()
    await lookAt(webhook, [['Resume', 'Resume this webhook?']])

    await lookAt('/profile', [
      [`Add a signature for ${address}`, `Signature for ${address}`],
      ['Add a passkey', 'Add a passkey'],
      ['Set a password', 'Set a password'],
      // Of the session that made all this.
      ['End the session from 127.0.0.1', 'End this session?'],
    ])
    await fillIn(page, 'Add a passkey', { Name: 'Laptop' }, 'Add')
    await page.getByRole('row', { name: /Laptop/ }).waitFor()
    const password = 'violet anchors hum at noon'
    await fillIn(page, 'Set a password', { 'New password': password }, 'Save')
    await page.getByRole('button', { name: 'Change password' }).waitFor()
    await lookAt('/profile', [
      ['Rename Laptop', 'Rename the passkey'],
      ['Remove Laptop', 'Remove the passkey Laptop?'],
      ['Change password', 'Change your password'],
      ['Add a second factor', 'Second factor'],
    ])
    await fillIn(page, 'Add a second factor', {}, 'Begin')
    const uri = await page.getByRole('link', { name: 'open it' }).getAttribute('href')
    await look('Second factor')
    await page.getByLabel('The code that it shows').fill(applicationOf(uri ?? '')(world.clock.now()))
    await press('Finish')
    await lookAtSecret('The second factor is set up')
    await lookAt('/profile', [['Remove second factor', 'Remove the second factor?']])

    await lookAt(pathOf(box, 'trash'), [['Empty Trash', 'Empty Trash?']])
    await page.keyboard.press('#')
    await look('Delete for good?')
    await close('Delete for good?')
    await visitor.open(pathOf(box))
    if ('isMobile' in options) await press('Menu')
    await press(`New folder in ${address}`)
    await look('New folder')
    await close('New folder')
    for (const [name, item, dialog] of [
      ['Tea', 'Rename', 'Rename Tea'],
      ['Tea', 'Delete', 'Delete Tea?'],
      ['Plans', 'Delete', 'Plans cannot be deleted yet'],
    ] as const) {
      await press(`Menu of ${name}`)
      await look(`Menu of ${name}`)
      await page.getByRole('menuitem', { name: item, exact: true }).click()
      await look(dialog)
      await close(dialog)
    }
    await visitor.open(pathOf(box))
    await openConversation(page, 'The sun')
    for (const [key, name] of [
      ['l', 'Label'],
      ['v', 'Move'],
      ['?', 'Keys'],
      ['Control+k', 'Go to'],
    ] as const) {
      await page.keyboard.press(key)
      await look(name)
      await close(name)
    }
    await press('More')
    await look('More')
    await page.getByRole('menuitem', { name: 'Try the filters on this message' }).click()
    await look('Try on this message')
    await close('Try on this message')

    await page.keyboard.press('c')
    await focusOn(recipients(page))
    await look('New message')
    await page.keyboard.type('ann')
    await page.getByRole('option').first().waitFor()
    await visitor.assertSound(page.locator('body'))
    await page.keyboard.press('Enter')
    await press('Link')
    await look('Link')
    await close('Link')
    await press('Send later')
    await look('Send later')
    await close('Send later')
    await press('Discard')
    await named('Message discarded').waitFor()
    await visitor.assertSound(named('Message discarded'))

    assert.deepEqual(notShown(shown), [])
  })

test('a dialog that is added has a name of its own to be looked at', () => {
  const source = `const title = one ? 'Add it' : \`Remove \${name}\`
    const all = <><ActionDialog title={title} /><Dialog><Heading slot="title">Keys</Heading></Dialog></>`
  assert.deepEqual(each(namesIn('new.tsx', source), 'text'), ['Add it', 'Remove …', 'Keys'])
  assert.throws(() => namesIn('new.tsx', '<ActionDialog title={props.title} />'), /new\.tsx cannot be read/)
  assert.ok(notShown([]).some((one) => one === 'pages/domains/remove.tsx: Remove …?'))
  assert.deepEqual(
    notShown(['Remove shop.example?', 'Remove the passkey Laptop?']).filter((one) => one.endsWith(': Remove …?'))
      .length,
    1,
  )
})
