import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { phone, wide } from '#test/web/browser.ts'
import { type Box, boxOf, reader } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'

const { world, browser } = await startSite()

const composer = (page: Page) =>
  page.getByRole('dialog').filter({ has: page.getByRole('button', { name: 'Send', exact: true }) })
const body = (page: Page) => composer(page).getByRole('textbox', { name: 'Message' })
const says = (page: Page, what: string) => page.getByRole('alertdialog').filter({ hasText: what }).first().waitFor()
/** Waits for a state of saving. */
const state = (page: Page, what: string) => composer(page).getByText(what, { exact: true }).waitFor()

async function openInbox(page: Page, { address }: Box): Promise<void> {
  await page.goto(`/mail/${encodeURIComponent(address)}/inbox`)
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
}

async function openNewest(page: Page, box: Box): Promise<void> {
  await openInbox(page, box)
  await page.getByRole('row').first().getByRole('link').click()
  await page.getByRole('article', { name: 'Conversation' }).getByRole('region').first().waitFor()
}

/** Begins a message to somebody by the keyboard alone. */
async function begin(page: Page, to: string, subject: string, text: string): Promise<void> {
  await page.keyboard.press('c')
  await composer(page).waitFor()
  await page.getByLabel('To', { exact: true }).and(page.locator(':focus')).waitFor()
  await page.keyboard.type(to)
  await page.keyboard.press('Enter')
  await page.getByLabel('Subject').fill(subject)
  await body(page).focus()
  await page.keyboard.type(text)
}

/** Waits until the browser stores no message. */
async function deviceHoldsNothing(page: Page): Promise<void> {
  const count = `new Promise((resolve, reject) => {
    const opening = indexedDB.open('writing', 1)
    opening.onerror = () => reject(opening.error)
    opening.onsuccess = () => {
      const counting = opening.result.transaction('writings').objectStore('writings').count()
      counting.onsuccess = () => {
        opening.result.close()
        resolve(counting.result)
      }
    }
  })`
  while ((await page.evaluate<number>(count)) > 0) await pause(100)
}

interface Whole {
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly in_reply_to: string | null
  readonly to: readonly { address: string }[]
  readonly cc: readonly { address: string }[]
  readonly attachments: readonly { filename: string; content_id: string | null; size_bytes: number }[]
}

/** Waits for the newest message of a folder. */
async function newest({ organization }: Box, mailbox: string, folder: string): Promise<Whole> {
  for (;;) {
    const query = `mailbox=${mailbox}&folder=${folder}`
    const { body: listed } = await organization.request('GET', `/v1/messages?${query}&limit=1`)
    const [first] = listed.data
    if (first) return (await organization.request('GET', `/v1/messages/${first.uid}?${query}`)).body
    await pause(100)
  }
}

for (const [what, options] of [
  ['a wide window', wide],
  ['a phone at night', { ...phone, colorScheme: 'dark' as const }],
] as const) {
  test(`the composer is sound in ${what}`, async () => {
    const box = await boxOf(world)
    await box.receive({ subject: 'The engine', html: '<p style="color: red">Is it oiled?</p>', cc: 'bob@peer.example' })
    await using visitor = await reader(browser, box, options)
    const { page } = visitor
    await openNewest(page, box)
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
    await page.getByRole('button', { name: 'Send later' }).click()
    await page.getByRole('dialog', { name: 'Send later' }).waitFor()
    await visitor.assertSound()
  })
}

test('a message is written and sent by the keyboard alone, and arrives with its formatting', async () => {
  const box = await boxOf(world)
  const { address: bob } = await box.organization.mailbox('bob')
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await openInbox(page, box)
  await begin(page, `Bob <${bob}>`, 'The engine', 'It is ')
  await page.keyboard.press('Control+b')
  await page.keyboard.type('oiled')
  await page.keyboard.press('Control+Enter')
  await says(page, 'Sending')
  await composer(page).waitFor({ state: 'detached' })
  await says(page, 'Message sent')
  const arrived = await newest(box, bob, 'inbox')
  assert.equal(arrived.subject, 'The engine')
  assert.equal(arrived.text.trim(), 'It is oiled')
  assert.match(arrived.html, /It is <strong>oiled<\/strong>/)
  await newest(box, box.address, 'sent')
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  assert.deepEqual([visitor.strayed, visitor.errors], [[], []])
})

test('an answer to all goes to all but oneself, and quotes what it answers', async () => {
  const box = await boxOf(world)
  const { address: bob } = await box.organization.mailbox('bob')
  await box.receive({
    ...{ from: `Bob <${bob}>`, to: [box.address, 'ann@peer.example'], cc: 'eve@peer.example' },
    ...{ subject: 'Re: The engine', text: 'Is it oiled?', messageId: '<1@peer.example>' },
  })
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await openNewest(page, box)
  await page.keyboard.press('a')
  await body(page).and(page.locator(':focus')).waitFor()
  await page.keyboard.type('It is.')
  assert.equal(await page.getByTitle('Quoted text').count(), 0)
  await page.keyboard.press('Control+Enter')
  await says(page, 'Message sent')
  const { subject, text, html, in_reply_to, to, cc } = await newest(box, bob, 'inbox')
  assert.deepEqual(
    { subject, in_reply_to, to: to.map(({ address }) => address), cc: cc.map(({ address }) => address) },
    {
      ...{ subject: 'Re: The engine', in_reply_to: '<1@peer.example>' },
      ...{ to: [bob, 'ann@peer.example'], cc: ['eve@peer.example'] },
    },
  )
  assert.match(text, /^It is\.\n\nOn .* wrote:\n> Is it oiled\?/)
  assert.match(html, /<blockquote type="cite">/)
})

test('a quotation has no address that a mail program would load', async () => {
  const box = await boxOf(world)
  const tracker = 'http://tracker.example/open'
  const values = [
    ...[`url(${tracker})`, `var(--n, url(${tracker}))`, `var(--n, u\\72l(${tracker}))`, `env(n, url('${tracker}'))`],
    ...[`image-set('${tracker}' 1x)`, `-webkit-image-set(url(${tracker}) 1x)`, `u\\72 l(${tracker})`],
    `cross-fade(url(${tracker}), red)`,
  ]
  const properties = [
    'background',
    'background-image',
    'list-style',
    'border-image',
    'cursor',
    'content',
    'mask',
    '--n',
  ]
  const styled = properties.flatMap((property) =>
    values.map((value) => `<p style="color: red; ${property}: ${value}">${property}</p>`),
  )
  const others = [
    `<img src="${tracker}"><img srcset="${tracker} 2x"><table background="${tracker}"><tr><td background="${tracker}">`,
    `<p style="color: var(--n, red)">in colour</p></table><video poster="${tracker}"></video><link href="${tracker}">`,
  ]
  await box.receive({ subject: 'The engine', html: `${styled.join('')}${others.join('')}<p>The end</p>` })
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await openNewest(page, box)
  await page.keyboard.press('r')
  await body(page).and(page.locator(':focus')).waitFor()
  await page.keyboard.type('No.')
  await state(page, 'Saved')
  const { html } = await newest(box, box.address, 'drafts')
  assert.match(html, /The end/)
  assert.match(html, /color: red/)
  assert.doesNotMatch(html, /tracker|url\(|var\(/)
  assert.deepEqual([visitor.strayed, visitor.errors], [[], []])
})

test('a message is forwarded with what is attached to it, and is marked so', async () => {
  const box = await boxOf(world)
  const { address: bob } = await box.organization.mailbox('bob')
  await box.receive({
    subject: 'The plan',
    text: 'See it.',
    attachments: [{ filename: 'plan.txt', content: 'A plan' }],
  })
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await openNewest(page, box)
  await page.keyboard.press('f')
  await page.getByLabel('To', { exact: true }).and(page.locator(':focus')).waitFor()
  await page.keyboard.type(bob)
  await page.keyboard.press('Control+Enter')
  await says(page, 'Message sent')
  const { subject, text, attachments } = await newest(box, bob, 'inbox')
  assert.equal(subject, 'Fwd: The plan')
  assert.match(text, /Forwarded message[\s\S]*Subject: The plan[\s\S]*See it\./)
  assert.deepEqual(
    attachments.map(({ filename, size_bytes }) => [filename, size_bytes]),
    [['plan.txt', 6]],
  )
  await page.getByRole('article', { name: 'Conversation' }).getByRole('img', { name: 'Forwarded' }).waitFor()
})

test('sending is undone, and the message is there again', async () => {
  const box = await boxOf(world)
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await openInbox(page, box)
  await begin(page, 'ann@peer.example', 'Too early', 'Not yet')
  await composer(page).getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('button', { name: 'Undo' }).click()
  await body(page).getByText('Not yet').waitFor()
  await composer(page).getByRole('button', { name: 'Discard' }).click()
  await composer(page).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await body(page).getByText('Not yet').waitFor()
  assert.equal((await box.states('sent')).length, 0)
})

test('a message that is to leave goes out although the page is loaded again meanwhile', async () => {
  const box = await boxOf(world)
  const { address: bob } = await box.organization.mailbox('bob')
  await using visitor = await reader(browser, box)
  const { page } = visitor
  page.on('dialog', (dialog) => void dialog.accept())
  await openInbox(page, box)
  await begin(page, bob, 'On its way', 'Hello')
  await page.keyboard.press('Control+Enter')
  await says(page, 'Sending')
  await page.reload()
  await says(page, 'Message sent')
  assert.equal((await newest(box, bob, 'inbox')).subject, 'On its way')
})

test('a message that leaves says how much of what is attached is sent, also when it can no longer be undone', async () => {
  const box = await boxOf(world)
  const { address: bob } = await box.organization.mailbox('bob')
  await using visitor = await reader(browser, box)
  const { page } = visitor
  const network = await page.context().newCDPSession(page)
  const atMost = (uploadThroughput: number) =>
    network.send('Network.emulateNetworkConditions', {
      ...{ offline: false, latency: 0, downloadThroughput: -1, uploadThroughput },
    })
  await openInbox(page, box)
  await begin(page, bob, 'A film', 'See')
  await state(page, 'Saved')
  await atMost(1_000)
  const film = { name: 'film.mov', mimeType: 'video/quicktime', buffer: Buffer.alloc(2_000_000) }
  await composer(page).getByLabel('Files to attach').setInputFiles(film)
  await composer(page).getByRole('progressbar').waitFor()
  await page.keyboard.press('Control+Enter')
  const sending = page.getByRole('alertdialog').filter({ hasText: 'Sending…' })
  await sending.getByRole('progressbar', { name: 'Uploading film.mov' }).waitFor()
  await sending.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' })
  await sending.getByRole('progressbar', { name: 'Uploading film.mov' }).waitFor()
  await visitor.assertSound()
  await atMost(-1)
  await says(page, 'Message sent')
  assert.deepEqual((await newest(box, bob, 'inbox')).attachments.length, 1)
})

test('a message that is discarded stays so when the page is loaded again', async () => {
  const box = await boxOf(world)
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await openInbox(page, box)
  await begin(page, 'ann@peer.example', 'Of no use', 'Never mind')
  await state(page, 'Saved')
  await composer(page).getByRole('button', { name: 'Discard' }).click()
  await says(page, 'Message discarded')
  await page.reload()
  while ((await box.states('drafts')).length > 0) await pause(100)
  assert.equal(await composer(page).count(), 0)
})

test('a draft that is only being made as its message is left empty is deleted once it is there', async () => {
  const box = await boxOf(world)
  await using visitor = await reader(browser, box)
  const { page } = visitor
  const { promise: isEmpty, resolve: empty } = Promise.withResolvers<void>()
  await page.route('**/v1/drafts', async (route) => {
    await isEmpty
    await route.continue()
  })
  const making = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/v1/drafts'))
  const deleted = page.waitForResponse((response) => response.request().method() === 'DELETE')
  await openInbox(page, box)
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
  const box = await boxOf(world)
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await openInbox(page, box)
  await begin(page, 'ann@peer.example', 'Half done', 'It begins')
  await state(page, 'Saved')
  const other = await page.context().newPage()
  await openInbox(other, box)
  await page.close()
  await body(other).getByText('It begins').waitFor({ timeout: 0 })
})

test('what is typed survives a reload, a network that is cut, and a session that ends', async () => {
  const box = await boxOf(world)
  const { address: bob } = await box.organization.mailbox('bob')
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await openInbox(page, box)
  await begin(page, bob, 'A long story', 'It begins')
  await state(page, 'Saved')
  await page.reload()
  await body(page).getByText('It begins').waitFor()

  await page.context().setOffline(true)
  await body(page).focus()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(', goes on')
  await state(page, 'Offline: kept on this device')
  await page.keyboard.press('Control+Enter')
  await says(page, 'Not sent yet')
  await page.context().setOffline(false)
  await says(page, 'Message sent')
  assert.equal((await newest(box, bob, 'inbox')).text.trim(), 'It begins, goes on')

  await begin(page, bob, 'Another', 'Once upon a time')
  await state(page, 'Saved')
  await page.context().clearCookies()
  await page.keyboard.type(' there was')
  await state(page, 'Signed out: kept on this device')
  await page.getByText('Your session has ended').waitFor()
  await page.reload()
  await page.getByRole('heading', { name: /Sign in/ }).waitFor()
  const again = await reader(browser, box)
  const cookies = await again.page.context().cookies()
  await again[Symbol.asyncDispose]()
  await page.context().addCookies(cookies)
  await openInbox(page, box)
  await body(page).getByText('Once upon a time there was').waitFor()
})

test('a message leaves later, at a time within a month, and that is undone', async () => {
  const box = await boxOf(world)
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await openInbox(page, box)
  await begin(page, 'ann@peer.example', 'Happy birthday', 'Many happy returns')
  await page.getByRole('button', { name: 'Send later' }).click()
  const dialog = page.getByRole('dialog', { name: 'Send later' })
  await dialog.getByLabel('Date and time').fill('2099-01-01T08:00')
  assert.ok(await dialog.getByRole('button', { name: 'Schedule' }).isDisabled())
  assert.equal(await dialog.getByRole('checkbox').count(), 0, 'it answers nothing')
  await dialog.getByRole('button', { name: 'Tomorrow afternoon' }).click()
  await dialog.getByRole('button', { name: 'Schedule' }).click()
  await says(page, 'Message leaves')
  const scheduled = async () => (await box.organization.request('GET', '/v1/scheduled')).body.data
  assert.deepEqual(
    (await scheduled()).map(({ subject }: { subject: string }) => subject),
    ['Happy birthday'],
  )
  await page.getByRole('button', { name: 'Undo' }).click()
  await body(page).getByText('Many happy returns').waitFor()
  assert.deepEqual(await scheduled(), [])

  await page.getByRole('button', { name: 'Send later' }).click()
  await dialog.getByRole('button', { name: 'Schedule' }).click()
  await says(page, 'Message leaves')
  await visitor.open('/scheduled')
  await page.getByRole('row').filter({ hasText: 'Happy birthday' }).waitFor()
  await deviceHoldsNothing(page)
  assert.equal(await composer(page).count(), 0, 'what is scheduled is not being written')
  assert.equal((await scheduled()).length, 1)
  const drafts = await box.organization.request('GET', `/v1/messages?mailbox=${box.address}&folder=drafts`)
  assert.deepEqual(drafts.body.data, [])
})

test('an answer leaves later only if nobody has answered by then', async () => {
  const box = await boxOf(world)
  await box.receive({ subject: 'The engine', text: 'Is it oiled?', messageId: '<1@peer.example>' })
  await using visitor = await reader(browser, box)
  const { page } = visitor
  const only = page.getByRole('checkbox', { name: 'Only if nobody has answered' })
  await openNewest(page, box)
  await page.keyboard.press('r')
  await body(page).and(page.locator(':focus')).waitFor()
  await page.keyboard.type('Well?')
  await page.getByRole('button', { name: 'Send later' }).click()
  await only.focus()
  await page.keyboard.press('Space')
  await visitor.assertSound()
  await page.getByRole('dialog', { name: 'Send later' }).getByRole('button', { name: 'Schedule' }).click()
  await says(page, 'Message leaves')
  const { body: listed } = await box.organization.request('GET', '/v1/scheduled')
  assert.deepEqual(
    listed.data.map((one: { subject: string; unless_replied: boolean }) => [one.subject, one.unless_replied]),
    [['Re: The engine', true]],
  )
  await visitor.open('/scheduled')
  await page.getByText('Only if nobody has answered').waitFor()
})

test('files are dropped and pictures pasted; what is too much is said', async () => {
  const box = await boxOf(world)
  const { address: bob } = await box.organization.mailbox('bob')
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await openInbox(page, box)
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
  await page.keyboard.press('Control+Enter')
  await says(page, 'Message sent')
  const { html, attachments } = await newest(box, bob, 'inbox')
  const [moon, plan] = attachments.toSorted((one, other) => one.filename.localeCompare(other.filename))
  assert.deepEqual([plan?.filename, plan?.size_bytes, moon?.filename], ['plan.pdf', 3_000, 'moon.png'])
  assert.ok(html.includes(`cid:${moon?.content_id}`))
})

test('an attachment shows how much of it is sent, can be cancelled, and survives a network that is cut and a reload', async () => {
  const box = await boxOf(world)
  const { address: bob } = await box.organization.mailbox('bob')
  await using visitor = await reader(browser, box)
  const { page } = visitor
  const network = await page.context().newCDPSession(page)
  const atMost = (uploadThroughput: number) =>
    network.send('Network.emulateNetworkConditions', {
      ...{ offline: false, latency: 0, downloadThroughput: -1, uploadThroughput },
    })
  const soSlowThatItNeverEnds = 1_000
  const progress = (name: string) => composer(page).getByRole('progressbar', { name: `Uploading ${name}` })
  const attach = (name: string) =>
    composer(page)
      .getByLabel('Files to attach')
      .setInputFiles({ name, mimeType: 'video/quicktime', buffer: Buffer.alloc(2_000_000, name) })
  await openInbox(page, box)
  await begin(page, bob, 'Films', 'See')
  await state(page, 'Saved')

  await atMost(soSlowThatItNeverEnds)
  await attach('wrong.mov')
  await composer(page).getByRole('status').getByText('Uploading wrong.mov: 0 %').waitFor({ state: 'attached' })
  await progress('wrong.mov').waitFor()
  await visitor.assertSound()
  await composer(page).getByRole('button', { name: 'Cancel wrong.mov' }).click()
  await composer(page).getByText('wrong.mov').first().waitFor({ state: 'detached' })
  await atMost(-1)
  await state(page, 'Saved')

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
  await Promise.any([pressed, state(page, 'Saved')])
  await state(page, 'Saved')

  await atMost(soSlowThatItNeverEnds)
  await attach('second.mov')
  await progress('second.mov').waitFor()
  await page.reload()
  await progress('second.mov').waitFor()
  await atMost(-1)
  await composer(page).getByRole('status').getByText('second.mov uploaded').waitFor({ state: 'attached' })
  await state(page, 'Saved')
  await composer(page).getByRole('button', { name: 'Send', exact: true }).click()
  await says(page, 'Message sent')
  const { attachments } = await newest(box, bob, 'inbox')
  assert.deepEqual(
    attachments.map(({ filename, size_bytes }) => [filename, size_bytes]),
    [
      ['first.mov', 2_000_000],
      ['second.mov', 2_000_000],
    ],
  )
})

test('what is wrong is said where it is, before sending and after', async () => {
  const box = await boxOf(world)
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await openInbox(page, box)
  await page.keyboard.press('c')
  await composer(page).getByRole('button', { name: 'Send', exact: true }).click()
  await composer(page).getByRole('alert').getByText('Name somebody to send this to').waitFor()
  await page.getByLabel('To', { exact: true }).and(page.locator(':focus')).waitFor()
  await page.keyboard.type('ann@, bob@peer.example')
  await page.keyboard.press('Control+Enter')
  await composer(page).getByRole('alert').getByText('“ann@” is not an address').waitFor()
  await visitor.assertSound()
  await page.getByRole('button', { name: 'Remove ann@' }).click()
  await page.getByLabel('To', { exact: true }).fill(`ann@${'a'.repeat(70)}.example`)
  await page.keyboard.press('Control+Enter')
  await says(page, 'Sending')
  await composer(page).getByRole('alert').waitFor()
  assert.deepEqual([visitor.strayed, visitor.errors], [[], []])
})

test('a draft is a message of the folder Drafts, which opens it again, and is deleted with it', async () => {
  const box = await boxOf(world)
  await box.receive({ subject: 'The engine', html: '<p>Is it oiled?</p>' })
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await openNewest(page, box)
  await page.keyboard.press('r')
  await body(page).and(page.locator(':focus')).waitFor()
  await page.keyboard.type('It')
  await state(page, 'Saved')
  await page.keyboard.type(' is.')
  await page.keyboard.press('Escape')
  await says(page, 'Saved in Drafts')
  assert.match((await newest(box, box.address, 'drafts')).html, /^<div>It is\.<\/div>.*Is it oiled/)
  await page.getByRole('link', { name: 'Drafts' }).click()
  await page.getByRole('row').first().getByRole('link').click()
  await body(page).getByText('It is.', { exact: true }).waitFor()
  await composer(page).getByRole('button', { name: 'Show quoted text' }).waitFor()
  await body(page).focus()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(' Very much.')
  await state(page, 'Saved')
  const drafts = await box.states('drafts')
  assert.deepEqual(
    drafts.map(({ subject }) => subject),
    ['Re: The engine'],
  )
  assert.match((await newest(box, box.address, 'drafts')).text, /^It is\. Very much\.\n\nOn .* wrote:\n> Is it oiled/)
  await composer(page).getByRole('button', { name: 'Discard' }).click()
  await says(page, 'Message discarded')
  while ((await box.states('drafts')).length > 0) await pause(100)
  assert.deepEqual([visitor.strayed, visitor.errors], [[], []])
})

test('what the composer does not show of a draft that a program made is not sent', async () => {
  const box = await boxOf(world)
  const { address, organization } = box
  const html = '<p>It is oiled.</p><!--[if mso]><p>It is not.</p><![endif]-->'
  const { status } = await organization.request('POST', '/v1/drafts', { mailbox: address, to: address, html })
  assert.equal(status, 201)
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await visitor.open(`/mail/${encodeURIComponent(address)}/drafts`)
  await page.getByRole('row').first().getByRole('link').click()
  await body(page).getByText('It is oiled.').waitFor()
  await composer(page).getByRole('button', { name: 'Send', exact: true }).click()
  while ((await box.states('sent')).length === 0) await pause(100)
  assert.equal((await newest(box, address, 'sent')).html.trim(), '<p>It is oiled.</p>')
  assert.deepEqual([visitor.strayed, visitor.errors], [[], []])
})

test('a draft that is changed elsewhere meanwhile is not overwritten', async () => {
  const box = await boxOf(world)
  await using visitor = await reader(browser, box)
  const { page } = visitor
  await openInbox(page, box)
  await begin(page, 'ann@peer.example', 'Plans', 'One')
  await state(page, 'Saved')
  const query = `mailbox=${box.address}`
  const { body: listed } = await box.organization.request('GET', `/v1/drafts?${query}`)
  const changed = await box.organization.request('PATCH', `/v1/drafts/${listed.data[0].id}`, { subject: 'Other plans' })
  assert.equal(changed.status, 200)
  await page.keyboard.type(' and two')
  await composer(page).getByRole('alert').getByText('Nothing was overwritten').waitFor()
  await visitor.assertSound()
  await composer(page).getByRole('button', { name: 'Keep both' }).click()
  await state(page, 'Saved')
  const subjects = (await box.states('drafts')).map(({ subject }) => subject)
  assert.deepEqual(subjects.sort(), ['Other plans', 'Plans'])
})
