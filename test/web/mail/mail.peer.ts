import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { readMessage } from '#/formats/mime/read-message.ts'
import {
  choose,
  click,
  composer,
  conversation,
  dialog,
  focusOn,
  holds,
  list,
  openConversation,
  pathOf,
  press,
  row,
  says,
} from '#test/web/app.ts'
import { type Box, boxOf, type State } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'
import { each } from '#test/world/each.ts'
import { hand } from '#test/world/letters/letter.ts'
import { notice } from '#test/world/letters/notice.ts'

const { world, visit } = await startSite()

/** Three conversations, of which one has two messages; the newest is last. */
async function furnished(role?: 'owner' | 'member'): Promise<Box> {
  const box = await boxOf(world, role)
  for (const [name, colour] of [
    ['Invoices', 'green'],
    ['Read later', '#336699'],
  ])
    await box.make('/v1/labels', { name, colour })
  const rule = { field: 'subject', op: 'contains', value: 'invoice', action: 'label', argument: 'invoices' }
  await box.make('/v1/filters', { name: 'Money', ...rule })
  await box.receive({ subject: 'The engine', text: 'Is it oiled?', messageId: '<1@peer.example>' })
  await box.receive({
    subject: 'Re: The engine',
    text: 'It is: https://engines.example/oil\n\nOn Monday Ann wrote:\n> Is it oiled?\n',
    messageId: '<2@peer.example>',
    inReplyTo: '<1@peer.example>',
  })
  const attachments = [{ filename: 'plan.txt', content: 'A plan' }]
  await box.receive({ subject: 'Your invoice', text: 'See the plan.', attachments })
  await box.receive({
    subject: 'The moon',
    html: '<h1 style="color: #336699">It is full</h1><blockquote type="cite">Is it?</blockquote>',
  })
  return box
}

/** A browser at the inbox of a mailbox, by default of one with three conversations. */
async function arrive(box?: Box) {
  const own = box ?? (await furnished())
  return { box: own, ...(await visit(own, pathOf(own))) }
}

/** Opens the menu of a conversation's message, and chooses from it. */
async function chooseMore(page: Page, subject: string, item: string): Promise<void> {
  await openConversation(page, subject)
  await click(page, 'More')
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

test('a sent message says whom it has not reached, and whether anything but the notice says so', async () => {
  const box = await boxOf(world)
  const { address } = box
  const message = { from: address, to: ['nobody@nowhere.example'], subject: 'Plan', text: 'Hello' }
  const { message_id } = await box.make('/v1/send', message)
  world.clock.advance(1_000)
  await world.outbound.processAll()
  assert.equal(await hand(world, '', address, notice(message_id, ['eve@there.example'])), '250 2.6.0')
  const { visitor, page } = await visit(box, pathOf(box, 'sent'))
  await row(page, 'Plan').getByRole('link').click()
  const said = page.getByRole('list', { name: 'Not delivered' }).getByRole('listitem')
  await said
    .filter({ hasText: /^Not delivered to nobody@nowhere\.example: the domain accepts no mail \(5\.1\.2\) \(.+\)$/ })
    .waitFor()
  const doubtful = 'A notice says that this was not delivered to eve@there.example: 550 It says no'
  await said.filter({ hasText: doubtful }).getByText('Nothing proves that the notice is genuine.').waitFor()
  await visitor.assertSoundAnywhere()
})

test('opening a conversation marks it as read, and says how many are left', async () => {
  const { box, visitor, page } = await arrive()
  await page.getByRole('link', { name: 'Inbox 4 unread' }).waitFor()
  await openConversation(page, 'The engine')
  await page.getByRole('link', { name: 'Inbox 2 unread' }).waitFor()
  await conversation(page).getByText('It is:').waitFor()
  assert.equal(await conversation(page).getByText('> Is it oiled?').count(), 0)
  await page.getByRole('button', { name: 'Show quoted text' }).click()
  await conversation(page).getByText('> Is it oiled?').waitFor()
  await visitor.assertSoundAnywhere()
  const link = page.getByRole('link', { name: 'https://engines.example/oil' })
  assert.equal(await link.getAttribute('rel'), 'noopener noreferrer')
  // It is shown at once; requests follow, one for each message.
  const after = await box.once((states) => states.slice(2).every(({ unread }) => !unread))
  assert.deepEqual(each(after, 'unread'), [true, true, false, false])
})

test('a conversation of which the list shows a part stays unread as others are read, until it is read itself', async () => {
  const box = await boxOf(world)
  const long = (at: number) => ({ subject: 'The log', text: `Day ${at}`, messageId: `<log-${at}@peer.example>` })
  await box.receive(long(1))
  for (let at = 2; at <= 13; at++) await box.receive({ ...long(at), inReplyTo: `<log-${at - 1}@peer.example>` })
  const [, ...others] = (await box.states()).toReversed()
  // Its row shows the first message and the nine newest.
  const [hidden, ...rest] = others.map(({ uid }) => uid)
  assert(hidden !== undefined)
  await box.change({ unread: false }, ({ uid }) => uid === hidden - 1 || rest.includes(uid))
  await box.receive({ subject: 'The moon', text: 'It is full.' })
  const { page } = await arrive(box)
  const named = (name: RegExp) => list(page).getByRole('row', { name })
  await named(/^Unread, .*The log/).waitFor()
  // From here on the list shows the cache of the app.
  await page.route(/\/v1\/threads\?/, () => {})
  await named(/^Unread, .*The moon/)
    .getByRole('link')
    .click()
  await named(/^(?!Unread).*The moon/).waitFor()
  assert.equal(await named(/^Unread, .*The log/).count(), 1)
  await named(/^Unread, .*The log/)
    .getByRole('link')
    .click()
  await named(/^(?!Unread).*The log/).waitFor()
  await page.getByText('Day 2', { exact: true }).waitFor()
  await box.once((states) => states.every(({ unread }) => !unread))
})

test('a key acts on many conversations at once, and its undoing brings back each message as it was', async () => {
  const box = await furnished()
  await box.change({ starred: true, unread: false }, ({ subject }) => subject === 'The engine')
  await box.change({ unread: false, add_labels: ['read-later'] }, ({ subject }) => subject === 'Your invoice')
  const { visitor, page } = await arrive(box)
  const ofAll = (states: readonly State[]) => states.map(({ uid: _uid, ...state }) => state)
  const before = ofAll(await box.states())
  for (const [key, said, there] of [
    ['e', 'moved to Archive', 'archive'],
    ['!', 'moved to Junk', 'junk'],
    ['#', 'moved to Trash', 'trash'],
    ['s', 'starred', 'inbox'],
    ['Shift+I', 'marked as read', 'inbox'],
    ['Shift+U', 'marked as unread', 'inbox'],
  ] as const) {
    for (const subject of ['The engine', 'Your invoice']) await row(page, subject).getByRole('checkbox').check()
    await page.keyboard.press(key)
    await says(page, said)
    if (there === 'inbox') assert.notDeepEqual(ofAll(await box.states()), before, said)
    else {
      assert.equal((await box.states(there)).length, 3, said)
      await row(page, 'The engine').waitFor({ state: 'detached' })
    }
    await page.getByRole('button', { name: 'Undo' }).click()
    await says(page, 'Undone')
    assert.deepEqual(ofAll(await box.states()), before, said)
    await visitor.open(pathOf(box))
  }
})

test('a label is put on and taken off by a few letters of its name, and a conversation moved to a new folder', async () => {
  const { box, page } = await arrive()
  /** Opens what a key does, and chooses from it by letters. */
  const pick = async (key: string, name: string, letters: string, item: string) => {
    await page.keyboard.press(key)
    const open = dialog(page, name)
    await open.getByRole('menuitem').nth(1).waitFor()
    await focusOn(open.locator('input'))
    await page.keyboard.type(letters)
    await open.getByRole('menuitem', { name: /^(Invoices|Archive)/ }).waitFor({ state: 'detached' })
    await page.keyboard.press('ArrowDown')
    await open.locator('[role=menuitem][data-focused]').filter({ hasText: item }).waitFor()
    await page.keyboard.press('Enter')
    await open.waitFor({ state: 'detached' })
  }
  await page.keyboard.press('j')
  for (const [said, labels] of [
    ['labelled Read later', ['read-later']],
    ['Label Read later taken off', []],
  ] as const) {
    await pick('l', 'Label', 'later', 'Read later')
    await says(page, said)
    await row(page, 'The moon')
      .getByText('Read later')
      .waitFor({ state: labels.length > 0 ? 'visible' : 'detached' })
    assert.deepEqual((await box.states())[0]?.labels, labels)
  }
  await pick('v', 'Move', 'Sky/Moon', 'New folder Sky/Moon')
  await says(page, 'moved to Sky/Moon')
  await page.getByRole('link', { name: /Sky\/Moon/ }).click()
  await row(page, 'The moon').waitFor()
})

test('the keyboard alone reads, archives and undoes', async () => {
  const { page } = await arrive()
  const shows = (heading: string) => page.getByRole('heading', { level: 1, name: heading }).waitFor()
  for (const [key, heading] of [
    ['j', 'Inbox'],
    ['j', 'Inbox'],
    ['Enter', 'Your invoice'],
    ['e', 'The engine'],
  ] as const) {
    await page.keyboard.press(key)
    await shows(heading)
  }
  await says(page, 'moved to Archive')
  await page.keyboard.press('z')
  await says(page, 'Undone')
  await page.keyboard.press('u')
  await shows('Inbox')
  await row(page, 'Your invoice').waitFor()
  await choose(page, 'Trash')
  await shows('Trash')
})

test('from the list a conversation is answered by a key, and the sheet of keys has those of lists', async () => {
  const { visitor, page } = await arrive()
  for (const [key, name, has] of [
    ['r', 'Re: Your invoice', 'Ann'],
    ['a', 'Re: Your invoice', 'Ann'],
    ['f', 'Fwd: Your invoice', 'plan.txt'],
  ] as const) {
    await row(page, 'Your invoice').focus()
    await page.keyboard.press(key)
    await dialog(page, name).getByText(has).first().waitFor()
    await press(page, 'Close')
    await composer(page).waitFor({ state: 'detached' })
  }
  // Several are not answered at once.
  await row(page, 'Your invoice').focus()
  for (const key of ['x', 'j', 'Shift+X']) await page.keyboard.press(key)
  await page.getByText('2 selected').waitFor()
  await visitor.assertSoundAnywhere()
  await page.keyboard.press('r')
  await page.keyboard.press('?')
  const sheet = dialog(page, 'Keys')
  await sheet.getByText('Junk, or not junk').waitFor()
  assert.equal(await composer(page).count(), 0)
})

test('what fails is shown as it was, with the reason', async () => {
  const { page } = await arrive()
  await page.context().setOffline(true)
  await row(page, 'The moon').getByRole('checkbox').check()
  await page.keyboard.press('e')
  await says(page, 'That failed: The service cannot be reached')
  await row(page, 'The moon').waitFor()
})

/** Puts conversations into the inbox, the newest with the highest number. */
async function filled(length: number): Promise<Box> {
  const box = await boxOf(world)
  const mailbox = { organizationId: box.organization.id, mailboxId: box.id }
  const copies = Array.from({ length }, (_, index) => ({
    ...{ mailbox, folder: 'inbox', seen: true, flagged: false, keywords: [], filteredBy: [] },
    message: readMessage(Buffer.from(`From: a@peer.example\r\nSubject: Number ${index}\r\n\r\nHello\r\n`)),
    receivedAt: new Date(Date.UTC(2026, 0, 1, 0, index)),
  }))
  await world.store(copies)
  return box
}

test('a folder of many conversations scrolls to its end', async () => {
  const { page } = await arrive(await filled(700))
  await row(page, 'Number 699').focus()
  await page.keyboard.press('End')
  await row(page, 'Number 0').waitFor()
  assert.equal(await list(page).getAttribute('aria-rowcount'), '700')
  assert.equal(await row(page, 'Number 0').getAttribute('aria-rowindex'), '700')
  assert.ok((await list(page).getByRole('row').count()) < 80)
  await page.keyboard.press('Home')
  await row(page, 'Number 699').waitFor()
})

test('the row of a conversation stays where it is in the window as that is opened beside the list, and closed', async () => {
  const { page } = await arrive(await filled(200))
  await page.evaluate(
    'const grid = document.querySelector("[role=grid]"); grid.parentElement.scrollTop = grid.clientHeight / 2',
  )
  const opened = row(page, 'Number 85')
  await opened.getByRole('link').waitFor()
  await page.evaluate(`globalThis.rowBox = () => {
    const row = [...document.querySelectorAll('[role=row]')].find((one) => one.textContent.includes('Number 85'))
    const { y = 0, height = 0 } = row?.getBoundingClientRect() ?? {}
    return { y: y - document.querySelector('[role=grid]').parentElement.getBoundingClientRect().y, height }
  }`)
  const place = () => page.evaluate<{ y: number; height: number }>('rowBox()')
  const before = await place()
  await opened.click()
  await holds(page, `rowBox().height > ${before.height}`)
  assert.equal((await place()).y, before.y)
  await conversation(page).getByText('Hello').waitFor()
  await page.keyboard.press('u')
  await holds(page, `rowBox().height === ${before.height}`)
  assert.equal((await place()).y, before.y)
})

for (const [role, item, form] of [
  ['owner', 'Make a filter from this message', 'New filter'],
  ['member', 'Make a filter of your own from it', 'New filter of your own'],
] as const)
  test(`an ${role} makes a filter from a message: ${form}`, async () => {
    const { page } = await arrive(await furnished(role))
    await openConversation(page, 'The moon')
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Download the message' }).waitFor()
    assert.equal(await page.getByRole('menuitem', { name: /Make a filter/ }).count(), role === 'owner' ? 2 : 1)
    await page.getByRole('menuitem', { name: item }).click()
    assert.equal(await dialog(page, form).getByLabel('Text', { exact: true }).inputValue(), 'ann@peer.example')
  })

test('a message leads to the filter that labelled it, and the filters are tried on it as they are now', async () => {
  const box = await furnished()
  const rule = { field: 'from', op: 'contains', value: 'peer.example', action: 'move', argument: 'archive' }
  await box.make('/v1/filters', { name: 'Put away', ...rule })
  const { visitor, page } = await arrive(box)
  await openConversation(page, 'Your invoice')
  await page.getByRole('link', { name: 'Money' }).click()
  await focusOn(page.getByRole('row', { name: 'Money' }))
  await visitor.open(pathOf(box))
  await chooseMore(page, 'Your invoice', 'Try the filters on this message')
  const trial = dialog(page, 'Try on this message')
  await trial.getByText('It ends in Archive').waitFor()
  assert.deepEqual(await trial.getByRole('listitem').allTextContents(), [
    'Money matches Your invoice',
    'Put away matches ann@peer.example',
  ])
  await visitor.assertSoundAnywhere()
})

test('the sender of a message is blocked from there, and filters are tried on it from their page', async () => {
  const { visitor, page } = await arrive()
  await chooseMore(page, 'Your invoice', 'Block this sender')
  const blocking = dialog(page, 'Block senders')
  assert.equal(await blocking.getByLabel('Addresses or domains').inputValue(), 'ann@peer.example')
  await blocking.getByRole('button', { name: 'Block', exact: true }).click()
  await page.getByRole('row', { name: /ann@peer.example/ }).waitFor()

  await visitor.open('/filters')
  await page.getByRole('button', { name: 'Try on a message' }).click()
  const trial = dialog(page, 'Try on a message')
  await trial.getByRole('button', { name: /Message/ }).click()
  await page.getByRole('option', { name: /^Your invoice, from Ann/ }).click()
  await trial.getByRole('button', { name: 'Try', exact: true }).click()
  await trial.getByRole('listitem').filter({ hasText: 'Money matches Your invoice' }).waitFor()
  await visitor.assertSoundAnywhere()
})

test('a suspended mailbox says so, and its mail is read', async () => {
  const box = await furnished()
  await world.db.updateTable('mailboxes').set({ suspended_at: new Date() }).where('id', '=', box.id).execute()
  const { visitor, page } = await arrive(box)
  await page.getByText('This mailbox is suspended').waitFor()
  await visitor.assertSoundAnywhere()
  await openConversation(page, 'Your invoice')
  await conversation(page).getByRole('heading', { name: 'Your invoice' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Reply' }).count(), 0)
})

test('pictures of a message are in its text; every file that it does not show as a picture is an attachment', async () => {
  const box = await boxOf(world)
  const dot = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  const large = Buffer.concat([dot, Buffer.alloc(5_000_000)])
  const picture = (filename: string, cid: string, content: Buffer | string = 'MZ') => ({
    ...{ filename, cid, content, contentType: 'image/png' },
  })
  await box.receive({
    subject: 'Drawings',
    html: '<p>Look: <img src="cid:small@peer" alt="Small"> <img src="cid:large@peer" alt="Large"> <img src="cid:program@peer" alt="Program"></p><!-- cid:named@peer -->',
    attachments: [
      picture('small.png', 'small@peer', dot),
      picture('large.png', 'large@peer', large),
      ...[picture('program.exe', 'program@peer'), picture('named.exe', 'named@peer')],
      picture('same name.exe', 'small@peer'),
      { filename: 'winmail.dat', content: 'x', contentType: 'application/ms-tnef' },
      { filename: 'WINMAIL.DAT', content: 'x', contentType: 'application/octet-stream' },
    ],
  })
  const { visitor, page } = await arrive(box)
  await openConversation(page, 'Drawings')
  const text = page.locator('article iframe').contentFrame()
  await text.locator('img[src^="data:image/png"]').waitFor()
  const alts = await text.getByRole('img').evaluateAll((all) => all.map((one) => one.getAttribute('alt')))
  assert.deepEqual(alts, ['Small', 'Large', 'Program'])
  const files = page.getByRole('list', { name: 'Attachments' }).getByRole('listitem')
  await files.getByText('program.exe').waitFor()
  // Beside files that Outlook has packed it says why it does not list them.
  const shown = await files.evaluateAll((all) =>
    all.map((one) => [one.querySelector('bdi')?.textContent, one.textContent?.includes('does not unpack')]),
  )
  assert.deepEqual(shown, [
    ...['large.png', 'program.exe', 'named.exe', 'same name.exe'].map((name) => [name, false]),
    ...['winmail.dat', 'WINMAIL.DAT'].map((name) => [name, true]),
  ])
  await visitor.assertSound()
})

test('a search finds a message and opens its conversation; an attachment is saved', async () => {
  const box = await furnished()
  await world.searchIndexer?.processAll()
  const { visitor, page } = await arrive(box)
  await visitor.open('/search')
  await page.getByLabel('What to look for').fill('subject:invoice')
  await page.keyboard.press('Enter')
  const found = page.getByRole('button', { name: /Your invoice/ })
  await found.waitFor()
  // By the keyboard: from the field to the results, and through these.
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  for (const key of ['j', 'k']) {
    await page.keyboard.press(key)
    await focusOn(found)
  }
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Your invoice' }).waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: /plan.txt/ }).click(),
  ])
  assert.equal(download.suggestedFilename(), 'plan.txt')
})

test('mail of a mailbox that is shared to be read is read, and nothing of it is changed', async () => {
  const box = await furnished()
  const { id: eve } = await box.organization.member(`eve@${box.organization.domain}`)
  await box.share(eve, 'read')
  const { visitor, page } = await arrive(box.of(eve))
  const before = await box.states()
  await openConversation(page, 'The engine')
  await conversation(page).getByText('It is:').waitFor()
  for (const key of ['e', 's', '#']) await page.keyboard.press(key)
  assert.equal(await page.getByRole('toolbar', { name: 'Actions' }).count(), 0)
  assert.equal(await page.getByRole('alertdialog').count(), 0)
  assert.deepEqual(await box.states(), before)
  await visitor.assertSound()
})
