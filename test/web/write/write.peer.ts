import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import {
  begin,
  body,
  composer,
  conversation,
  dialog,
  focusOn,
  kept,
  openConversation,
  pathOf,
  recipients,
  row,
  says,
  send,
} from '#test/web/app.ts'
import { windows } from '#test/web/browser.ts'
import { type Box, boxOf } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'
import { each } from '#test/world/each.ts'

const { world, visit } = await startSite()

/** A member's browser at their inbox, and the mailbox of somebody to write to. */
async function writer(...letters: Parameters<Box['receive']>[0][]) {
  const box = await boxOf(world)
  const { address: bob } = await box.organization.mailbox('bob')
  for (const letter of letters) await box.receive(letter)
  const { visitor, page } = await visit(box)
  await visitor.takeClock()
  await visitor.open(pathOf(box))
  return { box, bob, visitor, page }
}

/** Opens the newest conversation, and presses a key. */
async function answer(page: Page, key: 'r' | 'a' | 'f'): Promise<void> {
  await openConversation(page, /./)
  await page.keyboard.press(key)
  await focusOn(key === 'f' ? recipients(page) : body(page))
}

const subjects = async (box: Box, folder: string) => (await box.states(folder)).map(({ subject }) => subject)

for (const [what, options] of windows)
  test(`the composer is sound in ${what}`, async () => {
    const box = await boxOf(world)
    await box.receive({ subject: 'The engine', html: '<p style="color: red">Is it oiled?</p>', cc: 'bob@peer.example' })
    const { visitor, page } = await visit(box, pathOf(box), options)
    await openConversation(page, 'The engine')
    await page.keyboard.press('a')
    await body(page).waitFor()
    await visitor.assertSound()
    const lines = ['Send', 'Send later', 'Attach files', 'Discard'].map(async (name) => {
      const button = composer(page).getByRole('button', { name, exact: true })
      return (await button.boundingBox())?.y
    })
    assert.equal(new Set(await Promise.all(lines)).size, 1, 'the buttons are in one line')
    await composer(page).getByRole('button', { name: 'Show quoted text' }).click()
    await page.getByTitle('Quoted text').waitFor()
    await visitor.assertSound()
  })

test('a message is written and sent by the keyboard alone, and arrives with its formatting', async () => {
  const { box, bob, page } = await writer()
  await begin(page, `Bob <${bob}>`, 'The engine', 'It is ')
  await page.keyboard.press('Control+b')
  await page.keyboard.type('oiled')
  await send(page)
  await composer(page).waitFor({ state: 'detached' })
  const { subject, text, html } = await box.newest({ of: bob })
  assert.deepEqual([subject, text.trim()], ['The engine', 'It is oiled'])
  assert.match(html ?? '', /It is <strong>oiled<\/strong>/)
  assert.deepEqual(await subjects(box, 'sent'), ['The engine'])
})

test('an answer to all goes to all but oneself, and quotes what it answers', async () => {
  const { box, bob, page } = await writer({
    ...{ from: 'Ann <ann@peer.example>', replyTo: 'bob@elsewhere.example', cc: 'eve@peer.example' },
    ...{ subject: 'Re: The engine', text: 'Is it oiled?', messageId: '<1@peer.example>' },
  })
  await answer(page, 'a')
  await page.keyboard.type('It is.')
  assert.equal(await page.getByTitle('Quoted text').count(), 0)
  await recipients(page).fill(bob)
  await send(page)
  const { subject, text, html, in_reply_to, to, cc } = await box.newest({ of: bob })
  assert.deepEqual([subject, in_reply_to], ['Re: The engine', '<1@peer.example>'])
  assert.deepEqual([each(to, 'address'), each(cc, 'address')], [['bob@elsewhere.example', bob], ['eve@peer.example']])
  assert.match(text, /^It is\.\n\nOn .* wrote:\n> Is it oiled\?/)
  assert.match(html ?? '', /<blockquote type="cite">/)
})

test('a quotation has no address that a mail program would load', async () => {
  const tracker = 'http://tracker.example/open'
  const values = [
    ...[`url(${tracker})`, `var(--n, url(${tracker}))`, `var(--n, u\\72l(${tracker}))`, `env(n, url('${tracker}'))`],
    ...[`image-set('${tracker}' 1x)`, `-webkit-image-set(url(${tracker}) 1x)`, `u\\72 l(${tracker})`],
    `cross-fade(url(${tracker}), red)`,
  ]
  const properties = 'background background-image list-style border-image cursor content mask --n'.split(' ')
  const styled = properties.flatMap((property) =>
    values.map((value) => `<p style="color: red; ${property}: ${value}">${property}</p>`),
  )
  const others = [
    `<img src="${tracker}"><img srcset="${tracker} 2x"><table background="${tracker}"><tr><td background="${tracker}">`,
    `<p style="color: var(--n, red)">in colour</p></table><video poster="${tracker}"></video><link href="${tracker}">`,
  ]
  const { box, page } = await writer({
    ...{ subject: 'The engine', html: `${styled.join('')}${others.join('')}<p>The end</p>` },
  })
  await answer(page, 'r')
  await page.keyboard.type('No.')
  await kept(page)
  const { html } = await box.newest({ folder: 'drafts' })
  assert.match(html ?? '', /color: red[\s\S]*The end/)
  assert.doesNotMatch(html ?? '', /tracker|url\(|var\(/)
})

test('a message is forwarded with what is attached to it, and is marked so', async () => {
  const attachments = [{ filename: 'plan.txt', content: 'A plan' }]
  const { box, bob, page } = await writer({ subject: 'The plan', text: 'See it.', attachments })
  await answer(page, 'f')
  await page.keyboard.type(bob)
  await send(page)
  const forwarded = await box.newest({ of: bob })
  assert.equal(forwarded.subject, 'Fwd: The plan')
  assert.match(forwarded.text, /Forwarded message[\s\S]*Subject: The plan[\s\S]*See it\./)
  assert.deepEqual(each(forwarded.attachments, 'filename', 'size_bytes'), [['plan.txt', 6]])
  await conversation(page).getByRole('img', { name: 'Forwarded' }).waitFor()
})

test('sending and discarding are undone, and the message is there again', async () => {
  const { box, page } = await writer()
  await begin(page, 'ann@peer.example', 'Too early', 'Not yet')
  for (const button of ['Send', 'Discard']) {
    await composer(page).getByRole('button', { name: button, exact: true }).click()
    await composer(page).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await body(page).getByText('Not yet').waitFor()
  }
  assert.deepEqual(await box.states('sent'), [])
})

test('a message that is to leave goes out although the page is loaded again meanwhile', async () => {
  const { box, bob, page } = await writer()
  page.on('dialog', (asked) => void asked.accept())
  await begin(page, bob, 'On its way', 'Hello')
  await page.keyboard.press('Control+Enter')
  await says(page, 'Sending')
  await page.reload()
  await says(page, 'Message sent')
  assert.equal((await box.newest({ of: bob })).subject, 'On its way')
})

test('a message that is discarded stays so when the page is loaded again', async () => {
  const { box, page } = await writer()
  await begin(page, 'ann@peer.example', 'Of no use', 'Never mind')
  await kept(page)
  await composer(page).getByRole('button', { name: 'Discard' }).click()
  await says(page, 'Message discarded')
  const deleted = page.waitForResponse((response) => response.request().method() === 'DELETE')
  await page.reload()
  assert.equal((await deleted).status(), 200)
  assert.deepEqual(await box.states('drafts'), [])
  assert.equal(await composer(page).count(), 0)
})

test('a draft that is only being made as its message is left empty is deleted once it is there', async () => {
  const { box, page } = await writer()
  const { promise: isEmpty, resolve: empty } = Promise.withResolvers<void>()
  await page.route('**/v1/drafts', async (route) => {
    await isEmpty
    await route.continue()
  })
  const making = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/v1/drafts'))
  const deleted = page.waitForResponse((response) => response.request().method() === 'DELETE')
  await page.keyboard.press('c')
  await page.getByLabel('Subject').fill('Of no use')
  await making
  await page.getByLabel('Subject').fill('')
  await page.keyboard.press('Escape')
  await composer(page).waitFor({ state: 'hidden' })
  empty()
  assert.equal((await deleted).status(), 200)
  assert.deepEqual(await box.states('drafts'), [])
})

test('what a tab was writing as it was closed is open again in another', async () => {
  const { box, page } = await writer()
  await begin(page, 'ann@peer.example', 'Half done', 'It begins')
  await kept(page)
  const other = await page.context().newPage()
  await other.goto(pathOf(box))
  await other.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  await page.close()
  await body(other).getByText('It begins').waitFor({ timeout: 0 })
})

test('what is typed survives a reload, a network that is cut, and a session that ends', async () => {
  const { box, bob, page } = await writer()
  await begin(page, bob, 'A long story', 'It begins')
  await kept(page)
  await page.reload()
  await body(page).getByText('It begins').waitFor()

  await page.context().setOffline(true)
  await body(page).focus()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(', goes on')
  await kept(page, 'Offline: kept on this device')
  await page.keyboard.press('Control+Enter')
  await says(page, 'Not sent yet')
  await page.context().setOffline(false)
  await page.clock.fastForward(10_000)
  await says(page, 'Message sent')
  assert.equal((await box.newest({ of: bob })).text.trim(), 'It begins, goes on')

  await begin(page, bob, 'Another', 'Once upon a time')
  await kept(page)
  const cookies = await page.context().cookies()
  await page.context().clearCookies()
  await page.keyboard.type(' there was')
  await kept(page, 'Signed out: kept on this device')
  await page.getByText('Your session has ended').waitFor()
  await page.reload()
  await page.getByRole('heading', { name: /Sign in/ }).waitFor()
  await page.context().addCookies(cookies)
  await page.goto(pathOf(box))
  await body(page).getByText('Once upon a time there was').waitFor()
})

test('a message leaves later, at a time within a month, and that is undone', async () => {
  const { box, visitor, page } = await writer()
  await begin(page, 'ann@peer.example', 'Happy birthday', 'Many happy returns')
  await page.getByRole('button', { name: 'Send later' }).click()
  const later = dialog(page, 'Send later')
  const schedule = later.getByRole('button', { name: 'Schedule' })
  await later.getByLabel('Date and time').fill('2099-01-01T08:00')
  assert.ok(await schedule.isDisabled())
  assert.equal(await later.getByRole('checkbox').count(), 0, 'it answers nothing')
  await later.getByRole('button', { name: 'Tomorrow afternoon' }).click()
  await schedule.click()
  await says(page, 'Message leaves')
  const scheduled = async () => (await box.organization.request('GET', '/v1/scheduled')).body.data.length
  assert.equal(await scheduled(), 1)
  await page.getByRole('button', { name: 'Undo' }).click()
  await body(page).getByText('Many happy returns').waitFor()
  assert.equal(await scheduled(), 0)

  await page.getByRole('button', { name: 'Send later' }).click()
  await schedule.click()
  await says(page, 'Message leaves')
  await visitor.open('/scheduled')
  await page.getByRole('row').filter({ hasText: 'Happy birthday' }).waitFor()
  assert.equal(await composer(page).count(), 0, 'what is scheduled is not being written')
  assert.deepEqual([await scheduled(), await subjects(box, 'drafts')], [1, []])
})

test('an answer leaves later only if nobody has answered by then', async () => {
  const { box, visitor, page } = await writer({ subject: 'The engine', text: 'Is it oiled?' })
  await answer(page, 'r')
  await page.keyboard.type('Well?')
  await page.getByRole('button', { name: 'Send later' }).click()
  await page.getByRole('checkbox', { name: 'Only if nobody has answered' }).focus()
  await page.keyboard.press('Space')
  await visitor.assertSound()
  await dialog(page, 'Send later').getByRole('button', { name: 'Schedule' }).click()
  await says(page, 'Message leaves')
  const { body: listed } = await box.organization.request('GET', '/v1/scheduled')
  assert.equal(listed.data[0].unless_replied, true)
  await visitor.open('/scheduled')
  await page.getByText('Only if nobody has answered').waitFor()
})

test('files are dropped and pictures pasted; what is too much is said', async () => {
  const { box, bob, page } = await writer()
  await begin(page, bob, 'Files', 'Here they are: ')
  const give = (event: 'drop' | 'paste', name: string, type: string, bytes: number) =>
    page.evaluate(`(() => {
      const data = new DataTransfer()
      data.items.add(new File([new Uint8Array(${bytes})], '${name}', { type: '${type}' }))
      const target = document.querySelector('[role=textbox][contenteditable]')
      target.dispatchEvent('${event}' === 'drop'
        ? new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })
        : new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
    })()`)
  await give('drop', 'plan.pdf', 'application/pdf', 3_000)
  await composer(page).getByRole('listitem').filter({ hasText: 'plan.pdf' }).waitFor()
  await give('paste', 'moon.png', 'image/png', 200)
  await body(page).getByRole('img', { name: 'moon.png' }).waitFor()
  await give('drop', 'film.mov', 'video/quicktime', 9_000_000)
  await composer(page).getByRole('alert').getByText('8 MB').waitFor()
  await page.getByLabel('Subject').fill('Two files')
  await send(page)
  const { html, attachments } = await box.newest({ of: bob })
  const [moon, plan] = attachments.toSorted((one, other) => one.filename.localeCompare(other.filename))
  assert.deepEqual([plan?.filename, plan?.size_bytes, moon?.filename], ['plan.pdf', 3_000, 'moon.png'])
  assert.ok(html?.includes(`cid:${moon?.content_id}`))
})

test('an attachment shows how much of it is sent, can be cancelled, and survives a network that is cut and a reload', async () => {
  const { box, bob, visitor, page } = await writer()
  const network = await page.context().newCDPSession(page)
  const atMost = (uploadThroughput: number) =>
    network.send('Network.emulateNetworkConditions', {
      ...{ offline: false, latency: 0, downloadThroughput: -1, uploadThroughput },
    })
  const soSlowThatItNeverEnds = 1_000
  const progress = (name: string) => page.getByRole('progressbar', { name: `Uploading ${name}` })
  const attach = (name: string) =>
    composer(page)
      .getByLabel('Files to attach')
      .setInputFiles({ name, mimeType: 'video/quicktime', buffer: Buffer.alloc(2_000_000, name) })
  await begin(page, bob, 'Films', 'See')
  await kept(page)

  await atMost(soSlowThatItNeverEnds)
  await attach('wrong.mov')
  await composer(page).getByRole('status').getByText('Uploading wrong.mov: 0 %').waitFor({ state: 'attached' })
  await progress('wrong.mov').waitFor()
  await visitor.assertSound()
  await composer(page).getByRole('button', { name: 'Cancel wrong.mov' }).click()
  await composer(page).getByText('wrong.mov').first().waitFor({ state: 'detached' })
  await atMost(-1)
  await kept(page)

  // The service has the file, and its answer is lost.
  await page.route('**/attachments', async (route) => {
    await route.fetch()
    await page.route('**/v1/drafts/**', (later) => later.abort())
    await route.abort()
  })
  await attach('first.mov')
  await composer(page).getByText('Not uploaded yet').waitFor()
  await visitor.assertSound()
  await page.unrouteAll({ behavior: 'wait' })
  // It is tried again in any case, perhaps before the button is pressed.
  const pressed = composer(page).getByRole('button', { name: 'Try again' }).click()
  await Promise.any([pressed, kept(page)])
  await kept(page)

  await atMost(soSlowThatItNeverEnds)
  await attach('second.mov')
  await progress('second.mov').waitFor()
  await page.reload()
  await progress('second.mov').waitFor()
  await composer(page).getByRole('button', { name: 'Send', exact: true }).click()
  // It says so too when it can no longer be undone.
  const sending = page.getByRole('alertdialog').filter({ hasText: 'Sending…', has: progress('second.mov') })
  const undo = sending.getByRole('button', { name: 'Undo' })
  await undo.waitFor()
  await page.clock.fastForward(10_000)
  await undo.waitFor({ state: 'detached' })
  await sending.waitFor()
  await visitor.assertSound()
  await atMost(-1)
  await says(page, 'Message sent')
  const { attachments } = await box.newest({ of: bob })
  const whole = ['first.mov', 'second.mov'].map((name) => [name, 2_000_000])
  assert.deepEqual(each(attachments, 'filename', 'size_bytes'), whole)
})

test('what is wrong is said where it is, before sending and after', async () => {
  const { visitor, page } = await writer()
  await page.keyboard.press('c')
  await composer(page).getByRole('button', { name: 'Send', exact: true }).click()
  await composer(page).getByRole('alert').getByText('Name somebody to send this to').waitFor()
  await focusOn(recipients(page))
  await page.keyboard.type('ann@, bob@peer.example')
  await page.keyboard.press('Control+Enter')
  await composer(page).getByRole('alert').getByText('“ann@” is not an address').waitFor()
  await visitor.assertSound()
  await page.getByRole('button', { name: 'Remove ann@' }).click()
  await recipients(page).fill(`ann@${'a'.repeat(70)}.example`)
  await page.keyboard.press('Control+Enter')
  await says(page, 'Sending')
  await page.clock.fastForward(10_000)
  await composer(page).getByRole('alert').waitFor()
})

test('a draft is a message of the folder Drafts, which opens it again, and is deleted with it', async () => {
  const { box, page } = await writer({ subject: 'The engine', html: '<p>Is it oiled?</p>' })
  await answer(page, 'r')
  await page.keyboard.type('It')
  await kept(page)
  await page.keyboard.type(' is.')
  await page.keyboard.press('Escape')
  await says(page, 'Saved in Drafts')
  assert.match((await box.newest({ folder: 'drafts' })).html ?? '', /^<div>It is\.<\/div>.*Is it oiled/)
  await page.getByRole('link', { name: 'Drafts' }).click()
  await row(page, 'Re: The engine').getByRole('link').click()
  await body(page).getByText('It is.', { exact: true }).waitFor()
  await composer(page).getByRole('button', { name: 'Show quoted text' }).waitFor()
  await body(page).focus()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(' Very much.')
  await kept(page)
  assert.deepEqual(await subjects(box, 'drafts'), ['Re: The engine'])
  const { text } = await box.newest({ folder: 'drafts' })
  assert.match(text, /^It is\. Very much\.\n\nOn .* wrote:\n> Is it oiled/)
  const deleted = page.waitForResponse((response) => response.request().method() === 'DELETE')
  await composer(page).getByRole('button', { name: 'Discard' }).click()
  await says(page, 'Message discarded')
  await page.clock.fastForward(10_000)
  await deleted
  assert.deepEqual(await subjects(box, 'drafts'), [])
})

test('what the composer does not show of a draft that a program made is not sent', async () => {
  const { box, bob, visitor, page } = await writer()
  const html = '<p>It is oiled.</p><!--[if mso]><p>It is not.</p><![endif]-->'
  await box.make('/v1/drafts', { mailbox: box.address, to: bob, html })
  await visitor.open(pathOf(box, 'drafts'))
  await row(page, /./).getByRole('link').click()
  await body(page).getByText('It is oiled.').waitFor()
  await body(page).focus()
  await send(page)
  assert.equal((await box.newest({ of: bob })).html?.trim(), '<p>It is oiled.</p>')
})

test('a draft that is changed elsewhere meanwhile is not overwritten', async () => {
  const { box, visitor, page } = await writer()
  await begin(page, 'ann@peer.example', 'Plans', 'One')
  await kept(page)
  const { body: listed } = await box.organization.request('GET', `/v1/drafts?mailbox=${box.address}`)
  const changed = await box.organization.request('PATCH', `/v1/drafts/${listed.data[0].id}`, { subject: 'Other plans' })
  assert.equal(changed.status, 200)
  await page.keyboard.type(' and two')
  await composer(page).getByRole('alert').getByText('Nothing was overwritten').waitFor()
  await visitor.assertSound()
  await composer(page).getByRole('button', { name: 'Keep both' }).click()
  await kept(page)
  assert.deepEqual((await subjects(box, 'drafts')).sort(), ['Other plans', 'Plans'])
})
