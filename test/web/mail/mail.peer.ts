import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { readMessage } from '#/mime/message.ts'
import { hand } from '#test/mail/letter.ts'
import { notice } from '#test/mail/notice.ts'
import { phone, Visitor, wide } from '#test/web/browser.ts'
import { type Box, boxOf, reader } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'
import { signIn } from '#test/world/members/signed-in.ts'

const { world, browser } = await startSite({ indexing: true })

const list = (page: Page) => page.getByRole('grid', { name: 'Conversations' })
const row = (page: Page, subject: string) => list(page).getByRole('row').filter({ hasText: subject })
/** The field of what a key opens, which gets the focus a moment after it is shown, and what Enter chooses. */
const field = (page: Page) => page.getByRole('dialog').locator('input').and(page.locator(':focus'))
const chosen = (page: Page, name: string) => page.locator('[role=menuitem][data-focused]').filter({ hasText: name })
const says = (page: Page, text: string) => page.getByRole('alertdialog').filter({ hasText: text }).first().waitFor()

/** Three conversations, of which one has two messages; the newest is last. */
async function furnished(options: { role?: 'owner' | 'member' } = {}): Promise<Box> {
  const box = await boxOf(world, options)
  for (const [name, colour] of [
    ['Invoices', 'green'],
    ['Read later', '#336699'],
  ])
    await box.organization.request('POST', '/v1/labels', { name, colour })
  const rule = { field: 'subject', op: 'contains', value: 'invoice', action: 'label', argument: 'invoices' }
  await box.organization.request('POST', '/v1/filters', { name: 'Money', ...rule })
  await box.receive({ subject: 'The engine', text: 'Is it oiled?', messageId: '<1@peer.example>' })
  await box.receive({
    subject: 'Re: The engine',
    text: 'It is: https://engines.example/oil\n\nOn Monday Ann wrote:\n> Is it oiled?\n',
    messageId: '<2@peer.example>',
    inReplyTo: '<1@peer.example>',
  })
  await box.receive({
    subject: 'Your invoice',
    text: 'See the plan.',
    attachments: [{ filename: 'plan.txt', content: 'A plan' }],
  })
  await box.receive({
    subject: 'The moon',
    html: '<h1 style="color: #336699">It is full</h1><blockquote type="cite">Is it?</blockquote>',
  })
  return box
}

async function open(visitor: Visitor, { address }: Box, folder = 'inbox'): Promise<void> {
  await visitor.page.goto(`/mail/${encodeURIComponent(address)}/${folder}`)
  await list(visitor.page).getByRole('row').first().waitFor()
}

for (const [what, options] of [
  ['a wide window', wide],
  ['a phone', phone],
] as const) {
  test(`the pages of mail are sound in ${what}, by day and by night`, async () => {
    const box = await furnished()
    await using visitor = await reader(browser, box, options)
    const { page } = visitor
    await open(visitor, box)
    await visitor.assertSoundByDayAndNight()
    await row(page, 'The moon').getByRole('checkbox').check()
    await visitor.assertSoundByDayAndNight()
    for (const name of ['Label', 'Move']) {
      await page.getByRole('button', { name, exact: true }).click()
      await page.getByRole('menuitem').first().waitFor()
      await visitor.assertSoundByDayAndNight()
      await page.keyboard.press('Escape')
    }
    for (const [subject, text] of [
      ['The engine', 'It is:'],
      ['Your invoice', 'The filter Money labelled it Invoices'],
      ['The moon', 'Show quoted text'],
    ] as const) {
      await open(visitor, box)
      await row(page, subject).getByRole('link').click()
      await page.getByRole('article', { name: 'Conversation' }).getByText(text).waitFor()
      await visitor.assertSoundByDayAndNight()
    }
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    await visitor.assertSoundByDayAndNight()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await page
      .getByRole('menuitem', { name: /Archive/ })
      .first()
      .waitFor()
    await visitor.assertSoundByDayAndNight()
    await visitor.open('/search')
    await visitor.assertSoundByDayAndNight()
    await visitor.open('/search?q=is:unread')
    await visitor.assertSoundByDayAndNight()
  })
}

test('a sent message says whom it has not reached, and whether anything but the notice says so', async () => {
  const box = await boxOf(world)
  const { address, organization } = box
  const message = { from: address, to: ['nobody@nowhere.example'], subject: 'Plan', text: 'Hello' }
  const { status, body } = await organization.request('POST', '/v1/send', message)
  assert.equal(status, 202)
  world.clock.advance(1_000)
  await world.outbound.processAll()
  assert.equal(await hand(world, '', address, notice(body.message_id, ['eve@there.example'])), '250 2.6.0')
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await open(visitor, box, 'sent')
  await row(page, 'Plan').getByRole('link').click()
  const said = page.getByRole('list', { name: 'Not delivered' }).getByRole('listitem')
  await said
    .filter({ hasText: /^Not delivered to nobody@nowhere\.example: the domain accepts no mail \(5\.1\.2\) \(.+\)$/ })
    .waitFor()
  const doubtful = 'A notice says that this was not delivered to eve@there.example: 550 It says no'
  await said.filter({ hasText: doubtful }).getByText('Nothing proves that the notice is genuine.').waitFor()
  await visitor.assertSoundByDayAndNight()
})

test('opening a conversation marks it as read, and says how many are left', async () => {
  const box = await furnished()
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await open(visitor, box)
  await page.getByRole('link', { name: 'Inbox 4 unread' }).waitFor()
  await row(page, 'The engine').getByRole('link').click()
  await page.getByRole('link', { name: 'Inbox 2 unread' }).waitFor()
  const message = page.getByRole('article', { name: 'Conversation' })
  await message.getByText('It is:').waitFor()
  assert.equal(await message.getByText('> Is it oiled?').count(), 0)
  await page.getByRole('button', { name: 'Show quoted text' }).click()
  await message.getByText('> Is it oiled?').waitFor()
  const link = page.getByRole('link', { name: 'https://engines.example/oil' })
  assert.equal(await link.getAttribute('rel'), 'noopener noreferrer')
  const unread = async () => (await box.states()).map((message) => message.unread)
  // It is shown at once; requests follow, one for each message.
  while ((await unread()).slice(2).some(Boolean)) await pause(100)
  assert.deepEqual(await unread(), [true, true, false, false])
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
  await box.change([hidden - 1, ...rest], { unread: false })
  await box.receive({ subject: 'The moon', text: 'It is full.' })
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await open(visitor, box)
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
  while ((await box.states()).some(({ unread }) => unread)) await pause(100)
})

for (const [key, said, there] of [
  ['e', 'moved to Archive', 'archive'],
  ['!', 'moved to Junk', 'junk'],
  ['#', 'moved to Trash', 'trash'],
  ['s', 'starred', 'inbox'],
  ['Shift+I', 'marked as read', 'inbox'],
  ['Shift+U', 'marked as unread', 'inbox'],
] as const) {
  test(`the key ${key}: ${said}, for many at once, and its undoing brings back each message as it was`, async () => {
    const box = await furnished()
    const [, , invoice, engine] = await box.states()
    await box.change([engine?.uid ?? 0], { starred: true, unread: false })
    await box.change([invoice?.uid ?? 0], { unread: false, add_labels: ['read-later'] })
    await using visitor = await reader(browser, box)
    const { page } = visitor
    await open(visitor, box)
    const before = await box.states()
    for (const subject of ['The engine', 'Your invoice']) await row(page, subject).getByRole('checkbox').check()
    await page.keyboard.press(key)
    await says(page, said)
    if (there === 'inbox') assert.notDeepEqual(await box.states(), before)
    else {
      assert.equal((await box.states(there)).length, 3)
      await row(page, 'The engine').waitFor({ state: 'detached' })
    }
    await page.getByRole('button', { name: 'Undo' }).click()
    await says(page, 'Undone')
    const ofAll = (states: Awaited<ReturnType<Box['states']>>) => states.map(({ uid: _uid, ...state }) => state)
    assert.deepEqual(ofAll(await box.states()), ofAll(before))
    await row(page, 'The engine').waitFor()
  })
}

test('a label is put on and taken off by a few letters of its name, and a conversation moved to a new folder', async () => {
  const box = await furnished()
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await open(visitor, box)
  await page.keyboard.press('j')
  await page.keyboard.press('l')
  const label = async () => {
    await page.getByRole('menuitem', { name: /Read later/ }).waitFor()
    await field(page).waitFor()
    await page.keyboard.type('later')
    await page.getByRole('menuitem', { name: /Invoices/ }).waitFor({ state: 'detached' })
    await page.keyboard.press('ArrowDown')
    await chosen(page, 'Read later').waitFor()
    await page.keyboard.press('Enter')
  }
  await label()
  await says(page, 'labelled Read later')
  await row(page, 'The moon').getByText('Read later').waitFor()
  assert.deepEqual((await box.states())[0]?.labels, ['read-later'])
  await page.keyboard.press('l')
  await label()
  await says(page, 'Label Read later taken off')
  assert.deepEqual((await box.states())[0]?.labels, [])
  await page.keyboard.press('v')
  await page.getByRole('menuitem', { name: 'Archive' }).waitFor()
  await field(page).waitFor()
  await page.keyboard.type('Sky/Moon')
  await page.getByRole('menuitem', { name: 'New folder Sky/Moon' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await chosen(page, 'New folder Sky/Moon').waitFor()
  await page.keyboard.press('Enter')
  await says(page, 'moved to Sky/Moon')
  await page.getByRole('link', { name: /Sky\/Moon/ }).click()
  await row(page, 'The moon').waitFor()
  await visitor.assertSound()
})

test('the keyboard alone reads, archives and undoes', async () => {
  const box = await furnished()
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await open(visitor, box)
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Your invoice' }).waitFor()
  await page.keyboard.press('e')
  await says(page, 'moved to Archive')
  await page.getByRole('heading', { level: 1, name: 'The engine' }).waitFor()
  await page.keyboard.press('z')
  await says(page, 'Undone')
  await page.keyboard.press('u')
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  await row(page, 'Your invoice').waitFor()
  await page.keyboard.press('Control+k')
  await page
    .getByRole('menuitem', { name: /Archive/ })
    .first()
    .waitFor()
  await field(page).waitFor()
  await page.keyboard.type('trash')
  await page
    .getByRole('menuitem', { name: /Archive/ })
    .first()
    .waitFor({ state: 'detached' })
  await page.keyboard.press('ArrowDown')
  await chosen(page, 'Trash').waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Trash' }).waitFor()
})

test('from the list a conversation is answered by a key, and the sheet of keys has those of lists', async () => {
  const box = await furnished()
  await using visitor = await reader(browser, box)
  const { page } = visitor
  const composer = (name: string) => page.getByRole('dialog', { name, exact: true })
  await open(visitor, box)
  for (const [key, name] of [
    ['r', 'Re: Your invoice'],
    ['a', 'Re: Your invoice'],
    ['f', 'Fwd: Your invoice'],
  ] as const) {
    await row(page, 'Your invoice').focus()
    await page.keyboard.press(key)
    await composer(name)
      .getByText(key === 'f' ? 'plan.txt' : 'Ann')
      .first()
      .waitFor()
    await composer(name).getByRole('button', { name: 'Close' }).click()
    await composer(name).waitFor({ state: 'detached' })
  }
  // Several are not answered at once.
  for (const subject of ['The engine', 'Your invoice']) await row(page, subject).getByRole('checkbox').check()
  await page.keyboard.press('r')
  await page.keyboard.press('?')
  const sheet = page.getByRole('dialog', { name: 'Keys' })
  await sheet.waitFor()
  assert.equal(await page.getByRole('button', { name: 'Send', exact: true }).count(), 0)
  const keys = (await sheet.locator('kbd').allTextContents()).flatMap((text) => text.split(', '))
  for (const key of ['j', 'k', 'e', '#', 'r', 'a', 's', 'l', '/', '?', 'Ctrl K']) assert.ok(keys.includes(key), key)
})

test('what fails is shown as it was, with the reason', async () => {
  const box = await furnished()
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await open(visitor, box)
  await page.context().setOffline(true)
  await row(page, 'The moon').getByRole('checkbox').check()
  await page.keyboard.press('e')
  await says(page, 'That failed: The service cannot be reached')
  await row(page, 'The moon').waitFor()
  await page.context().setOffline(false)
})

/** Puts conversations into the inbox, the newest with the highest number. */
async function fill(box: Box, length: number): Promise<void> {
  const mailbox = { organizationId: box.organization.id, mailboxId: box.id }
  const copies = Array.from({ length }, (_, index) => ({
    ...{ mailbox, folder: 'inbox', seen: true, flagged: false, keywords: [], filteredBy: [] },
    message: readMessage(Buffer.from(`From: a@peer.example\r\nSubject: Number ${index}\r\n\r\nHello\r\n`)),
    receivedAt: new Date(Date.UTC(2026, 0, 1, 0, index)),
  }))
  await world.db.transaction().execute((tx) => world.mailHost.append(tx, copies))
}

test('a folder of many conversations scrolls to its end', async () => {
  const box = await boxOf(world)
  await fill(box, 700)
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await open(visitor, box)
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
  const box = await boxOf(world)
  await fill(box, 200)
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await open(visitor, box)
  const scroller = list(page).locator('..')
  await page.evaluate(
    'const grid = document.querySelector("[role=grid]"); grid.parentElement.scrollTop = grid.clientHeight / 2',
  )
  const opened = row(page, 'Number 85')
  const place = async () => {
    const [top, { y, height }] = [
      (await scroller.boundingBox())?.y ?? 0,
      (await opened.boundingBox()) ?? { y: 0, height: 0 },
    ]
    return { y: y - top, height }
  }
  await opened.getByRole('link').waitFor()
  const before = await place()
  const settle = async (isSettled: (height: number) => boolean) => {
    let now = await place()
    for (; !isSettled(now.height); now = await place()) await page.evaluate('new Promise(requestAnimationFrame)')
    return now.y
  }
  await opened.click()
  assert.equal(await settle((height) => height > before.height), before.y)
  await page.getByRole('article', { name: 'Conversation' }).getByText('Hello').waitFor()
  await page.keyboard.press('u')
  assert.equal(await settle((height) => height === before.height), before.y)
})

test('an owner makes a filter from a message; a member makes one of their own alone', async () => {
  const box = await furnished()
  await using owner = await reader(browser, box)
  await open(owner, box)
  await row(owner.page, 'The moon').getByRole('link').click()
  await owner.page.getByRole('button', { name: 'More' }).click()
  await owner.page.getByRole('menuitem', { name: 'Make a filter from this message' }).click()
  const form = owner.page.getByRole('dialog', { name: 'New filter' })
  assert.equal(await form.getByLabel('Text', { exact: true }).inputValue(), 'ann@peer.example')
  await owner.assertSound()
  const other = await furnished({ role: 'member' })
  await using member = await reader(browser, other)
  await open(member, other)
  await row(member.page, 'The moon').getByRole('link').click()
  await member.page.getByRole('button', { name: 'More' }).click()
  await member.page.getByRole('menuitem', { name: 'Download the message' }).waitFor()
  assert.equal(await member.page.getByRole('menuitem', { name: /Make a filter/ }).count(), 1)
  await member.page.getByRole('menuitem', { name: 'Make a filter of your own from it' }).click()
  const own = member.page.getByRole('dialog', { name: 'New filter of your own' })
  assert.equal(await own.getByLabel('Text', { exact: true }).inputValue(), 'ann@peer.example')
})

test('a message leads to the filter that labelled it, and the filters are tried on it as they are now', async () => {
  const box = await furnished()
  const rule = { field: 'from', op: 'contains', value: 'peer.example', action: 'move', argument: 'archive' }
  await box.organization.request('POST', '/v1/filters', { name: 'Put away', ...rule })
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await open(visitor, box)
  await row(page, 'Your invoice').getByRole('link').click()
  await page.getByRole('link', { name: 'Money' }).click()
  await page.getByRole('row', { name: 'Money' }).and(page.locator(':focus')).waitFor()
  await visitor.assertSoundByDayAndNight()
  await open(visitor, box)
  await row(page, 'Your invoice').getByRole('link').click()
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Try the filters on this message' }).click()
  const trial = page.getByRole('dialog', { name: 'Try on this message' })
  await trial.getByText('It ends in Archive').waitFor()
  assert.deepEqual(await trial.getByRole('listitem').allTextContents(), [
    'Money matches Your invoice',
    'Put away matches ann@peer.example',
  ])
  await visitor.assertSoundByDayAndNight()
  await trial.getByRole('button', { name: 'Close' }).click()
  await trial.waitFor({ state: 'hidden' })
})

test('the sender of a message is blocked from there, and filters are tried on it from their page', async () => {
  const box = await furnished()
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await open(visitor, box)
  await row(page, 'Your invoice').getByRole('link').click()
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Block this sender for yourself' }).waitFor()
  await page.getByRole('menuitem', { name: 'Block this sender', exact: true }).click()
  const blocking = page.getByRole('dialog', { name: 'Block senders' })
  assert.equal(await blocking.getByLabel('Addresses or domains').inputValue(), 'ann@peer.example')
  await blocking.getByRole('button', { name: 'Block', exact: true }).click()
  await page.getByRole('row', { name: /ann@peer.example/ }).waitFor()
  await visitor.assertSound()

  await visitor.open('/filters')
  await page.getByRole('button', { name: 'Try on a message' }).click()
  const trial = page.getByRole('dialog', { name: 'Try on a message' })
  await trial.getByRole('button', { name: /Message/ }).click()
  await page.getByRole('option', { name: /^Your invoice, from Ann/ }).click()
  await trial.getByRole('button', { name: 'Try', exact: true }).click()
  await trial.getByRole('listitem').filter({ hasText: 'Money matches Your invoice' }).waitFor()
  await visitor.assertSoundByDayAndNight()
})

test('a suspended mailbox says so, and its mail is read', async () => {
  const box = await furnished()
  await world.db.updateTable('mailboxes').set({ suspended_at: new Date() }).where('id', '=', box.id).execute()
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await open(visitor, box)
  await page.getByText('This mailbox is suspended').waitFor()
  await visitor.assertSoundByDayAndNight()
  await row(page, 'Your invoice').getByRole('link').click()
  await page.getByRole('article', { name: 'Conversation' }).getByRole('heading', { name: 'Your invoice' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Reply' }).count(), 0)
  await visitor.assertSound()
})

test('pictures of a message are in its text; every file that it does not show as a picture is an attachment', async () => {
  const box = await boxOf(world)
  const dot = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  const large = Buffer.concat([dot, Buffer.alloc(5_000_000)])
  await box.receive({
    subject: 'Drawings',
    html: '<p>Look: <img src="cid:small@peer" alt="Small"> <img src="cid:large@peer" alt="Large"> <img src="cid:program@peer" alt="Program"></p><!-- cid:named@peer -->',
    attachments: [
      { filename: 'small.png', cid: 'small@peer', content: dot, contentType: 'image/png' },
      { filename: 'large.png', cid: 'large@peer', content: large, contentType: 'image/png' },
      { filename: 'program.exe', cid: 'program@peer', content: 'MZ', contentType: 'image/png' },
      { filename: 'named.exe', cid: 'named@peer', content: 'MZ', contentType: 'image/png' },
      { filename: 'same name.exe', cid: 'small@peer', content: 'MZ', contentType: 'image/png' },
    ],
  })
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await page.goto(`/mail/${encodeURIComponent(box.address)}/inbox`)
  await page.getByRole('row').filter({ hasText: 'Drawings' }).getByRole('link').click()
  const text = page.locator('article iframe').contentFrame()
  await text.locator('img[src^="data:image/png"]').waitFor()
  assert.deepEqual(await text.getByRole('img').evaluateAll((all) => all.map((one) => one.getAttribute('alt'))), [
    'Small',
    'Large',
    'Program',
  ])
  const attachments = page.getByRole('list', { name: 'Attachments' }).getByRole('link')
  await attachments.getByText('program.exe').waitFor()
  const names = ['large.png', 'program.exe', 'named.exe', 'same name.exe']
  assert.deepEqual(
    await attachments.locator('bdi').allTextContents(),
    names.flatMap((name) => [name, 'image/png']),
  )
  await visitor.assertSound()
})

test('beside files that Outlook has packed the page says why it does not list them', async () => {
  const box = await boxOf(world)
  await box.receive({
    subject: 'Packed',
    text: 'See the files.',
    attachments: [
      { filename: 'winmail.dat', content: 'x', contentType: 'application/ms-tnef' },
      { filename: 'WINMAIL.DAT', content: 'x', contentType: 'application/octet-stream' },
      { filename: 'other.dat', content: 'x', contentType: 'application/octet-stream' },
    ],
  })
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await page.goto(`/mail/${encodeURIComponent(box.address)}/inbox`)
  await page.getByRole('row').filter({ hasText: 'Packed' }).getByRole('link').click()
  const files = page.getByRole('list', { name: 'Attachments' }).getByRole('listitem')
  await files.getByText('other.dat').waitFor()
  const explained = await files.evaluateAll((all) => all.map((one) => one.textContent?.includes('does not unpack')))
  assert.deepEqual(explained, [true, true, false])
  await visitor.assertSound()
})

test('a search finds a message and opens its conversation; an attachment is saved', async () => {
  const box = await furnished()
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await visitor.open('/search')
  await page.getByLabel('What to look for').fill('subject:invoice')
  await page.keyboard.press('Enter')
  // Words are found once a worker has indexed them.
  const found = page.getByRole('button', { name: /Your invoice/ })
  while ((await found.count()) === 0) {
    // Requests are limited.
    await pause(1_000)
    await page.reload()
    await visitor.loaded()
    await found.or(page.getByText('Nothing was found')).first().waitFor()
  }
  // By the keyboard: from the field to the results, and through these.
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('j')
  await found.and(page.locator(':focus')).waitFor()
  await page.keyboard.press('k')
  await found.and(page.locator(':focus')).waitFor()
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
  const owner = await signIn(box.organization, box.memberId)
  const { status } = await owner.request('PUT', `/v1/mailboxes/${box.address}/access/${eve}`, { level: 'read' })
  assert.equal(status, 200)
  await using visitor = await Visitor.signIn(browser, box.organization, eve)
  const { page } = visitor
  await open(visitor, box)
  const before = await box.states()
  await row(page, 'The engine').getByRole('link').click()
  await page.getByRole('article', { name: 'Conversation' }).getByText('It is:').waitFor()
  for (const key of ['e', 's', '#']) await page.keyboard.press(key)
  assert.equal(await page.getByRole('toolbar', { name: 'Actions' }).count(), 0)
  assert.equal(await page.getByRole('alertdialog').count(), 0)
  assert.deepEqual(await box.states(), before)
  await visitor.assertSound()
})
