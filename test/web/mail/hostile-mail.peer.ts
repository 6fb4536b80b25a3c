import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { after, test } from 'node:test'
import { openConversation, pathOf } from '#test/web/app.ts'
import type { Visitor } from '#test/web/browser.ts'
import { type Box, boxOf } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'

const { world, visit } = await startSite()
/** Only a link in a message leads here. */
const visits: string[] = []
const server = createServer((socket) => {
  visits.push('a connection')
  socket.destroy()
})
await once(server.listen(0, '127.0.0.1'), 'listening')
after(() => server.close())
const lair = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

/** Hostile HTML, by what it tries. */
const attacks: Readonly<Record<string, (lair: string) => string>> = {
  scripts: (at) =>
    `<script>top.harmed = 1</script><script src="${at}/s.js"></script><img src=x onerror="parent.harmed=1"><svg onload="top.harmed=1">` +
    `<svg><script>top.harmed=1</script></svg><body onload="top.harmed=1"><details open ontoggle="top.harmed=1">x</details>` +
    `<math><mtext><table><mglyph><style><img src=x onerror=top.harmed=1>`,
  'links that act': (at) =>
    `<a href="javascript:top.harmed=1">a</a><a href=" java&#10;script:top.harmed=1">b</a><a href="data:text/html,<script>top.harmed=1</script>">c</a>` +
    `<a href="vbscript:x">d</a><a href="${at}/ok" ping="${at}/ping" target="_top">e</a><a href="/v1/me">f</a><a href="#main">g</a>`,
  forms: (at) =>
    `<form action="${at}/form" id=f><input name=password autofocus><button>Send</button></form><button form=f formaction="${at}/b">x</button>` +
    `<isindex action="${at}/i"><textarea>x</textarea><select><option>y</select>`,
  'frames and documents': (at) =>
    `<iframe src="${at}/frame"></iframe><iframe srcdoc="<script>top.harmed=1</script>"></iframe><object data="${at}/o"></object><embed src="${at}/e">` +
    `<base href="${at}/"><meta http-equiv="refresh" content="0;url=${at}/refresh"><link rel=stylesheet href="${at}/l.css">` +
    `<link rel="dns-prefetch preconnect prefetch" href="${at}"><portal src="${at}/p"></portal><applet code=x codebase="${at}"></applet>`,
  pictures: (at) =>
    `<img src="${at}/1.gif" width=1 height=1><img srcset="${at}/2.png 1x, ${at}/3.png 2x" src="${at}/4.png"><picture><source srcset="${at}/5.webp"><img src="${at}/6.png"></picture>` +
    `<img src="//127.0.0.1:${new URL(at).port}/7.png"><input type=image src="${at}/8.png"><table background="${at}/9.png"><tr><td background="${at}/10.png">x</table>` +
    `<body background="${at}/11.png"><video poster="${at}/12.png" src="${at}/13.mp4" autoplay></video><audio src="${at}/14.mp3" autoplay></audio>` +
    `<svg><image href="${at}/15.png"/><use href="${at}/16.svg#x"/></svg><img lowsrc="${at}/17.png" dynsrc="${at}/18.png" longdesc="${at}/19"><img src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><image href='${at}/20.png'/></svg>">`,
  styles: (at) =>
    `<style>@import url("${at}/1.css"); @import "${at}/2.css"; @font-face { font-family: x; src: url(${at}/3.woff2) } * { font-family: x; background: url(${at}/4.png); list-style-image: url(${at}/5.png); cursor: url(${at}/6.cur), auto; content: url(${at}/7.png) } ` +
    `#main, body, html { display: none !important } input[value^=a] { background: url(${at}/8.png) } p { background: image-set("${at}/9.png" 1x) } @media screen { p { border-image: url(${at}/10.png) } } ` +
    `p::before { content: "</style><img src=x onerror=top.harmed=1>" } @namespace url(${at}/11); } } body { color: red </style>` +
    `<p style="position:fixed;inset:0;z-index:2147483647;background:url('${at}/12.png')">x</p><p style="background:ur\\6c(${at}/13.png);behavior:url(${at}/14.htc);-moz-binding:url(${at}/15.xml)">y</p>` +
    `<p style="background: url(${at}/16.png); } body { background: url(${at}/17.png)">z</p><div style="filter:url(${at}/18.svg#f);mask:url(${at}/19.svg);clip-path:url(${at}/20.svg#c)">w</div>`,
  'markup that is cut short': (at) =>
    `<!--<style>p { background: url(${at}/1.png) }--><p title='"><img src=${at}/2.png onerror=top.harmed=1>'>x</p><style></style><img src="${at}/3.png"` +
    ` alt="<style>"><noscript><p title="</noscript><img src=x onerror=top.harmed=1>"></noscript><textarea></textarea><xmp><img src=${at}/4.png></xmp><plaintext>x`,
  'names of the page': () =>
    `<a id="main" name="app">x</a><img name="body"><form name="getElementById"></form><div id="app" class="_shell">x</div>`,
}

async function show(visitor: Visitor, box: Box, subject: string): Promise<void> {
  const { page } = visitor
  await visitor.open(pathOf(box))
  await openConversation(page, subject)
  await page.locator('article iframe').waitFor()
  // It is loaded twice: to measure its height, and to show it.
  await page.locator('article iframe[style*="px"]').waitFor()
  await page.getByTitle('Measures a message').waitFor({ state: 'detached' })
}

test('what is in a message loads nothing, and changes nothing outside its frame', async () => {
  const box = await boxOf(world)
  for (const [what, attack] of Object.entries(attacks))
    await box.receive({ subject: what, html: `<p>Dear Ada</p>${attack(lair)}<p>Yours</p>`, text: 'Dear Ada' })
  const { visitor, page } = await visit(box)
  const dialogs: string[] = []
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  for (const what of Object.keys(attacks)) {
    await show(visitor, box, what)
    const frame = page.locator('article iframe')
    assert.equal(await frame.getAttribute('sandbox'), 'allow-popups allow-popups-to-escape-sandbox')
    const text = await frame.contentFrame().locator('body').innerText()
    if (!text.includes('Dear Ada')) assert.equal(what, 'styles') // which hide the message itself
    // Keys and clicks within the message stay there.
    await frame.click({ position: { x: 5, y: 5 } })
    assert.equal(await page.evaluate('window.harmed'), undefined, what)
    assert.equal(await page.getByRole('heading', { level: 1, name: what }).isVisible(), true)
    assert.match(new URL(page.url()).pathname, /^\/mail\//)
    assert.deepEqual([dialogs, visits], [[], []], what)
    // The policy refuses some of it even to the parser that reads it for the sanitizer, and Chromium says so.
    const others = visitor.errors.filter((error) => !error.includes('violates the following Content Security Policy'))
    visitor.errors.splice(0, Infinity, ...others)
    await visitor.assertFits()
  }
})

test('pictures from elsewhere are shown once asked for, and the service fetches them; one that nobody can see is not', async () => {
  const dot = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  const asked: string[] = []
  const site = createHttpServer(({ url = '', headers }, response) => {
    asked.push(url)
    assert.deepEqual([headers.cookie, headers.referer, headers['user-agent']], [undefined, undefined, 'Mailroom'])
    if (url === '/gone.png') response.writeHead(404).end()
    else response.writeHead(200, { 'Content-Type': 'image/png' }).end(dot)
  }).listen(0, '127.0.0.1')
  after(() => site.close())
  await once(site, 'listening')
  const at = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  const box = await boxOf(world)
  await box.receive({
    subject: 'News',
    text: 'News',
    html: `<style>h1 { background-image: url(${at}/banner.png); cursor: url(${at}/hand.cur), auto }</style><h1>News</h1>
      <table background="${at}/paper.png"><tr><td style="background: url('${at}/cell.png')">Read</table>
      <img src="${at}/photo.png?a=1&amp;b=2" alt="A photo" width="80" height="80"><img src="${at}/gone.png" alt="Gone">
      <img src="${at}/seen.gif" width="1" height="1">`,
  })
  const { visitor, page } = await visit(box)
  await show(visitor, box, 'News')
  const frame = page.locator('article iframe')
  const pictures = async () => (await frame.getAttribute('srcdoc'))?.match(/data:image\/png/g)?.length ?? 0
  assert.equal(await pictures(), 0)
  assert.deepEqual(asked, [])
  await visitor.assertSound()
  await page.getByRole('button', { name: 'Show pictures' }).click()
  await page.getByText('2 pictures from elsewhere cannot be shown.').waitFor()
  await frame.contentFrame().locator('img[src]').waitFor()
  assert.equal(await pictures(), 4)
  const images = frame.contentFrame().getByRole('img')
  assert.deepEqual(await images.evaluateAll((all) => all.map((one) => one.hasAttribute('src'))), [true, false, false])
  assert.deepEqual(asked.sort(), ['/banner.png', '/cell.png', '/gone.png', '/paper.png', '/photo.png?a=1&b=2'])
  assert.deepEqual(visitor.strayed, [])
  visitor.errors.splice(0, Infinity, ...visitor.errors.filter((error) => !error.includes('404')))
  await visitor.assertSound()
})

test('a link in a message opens a page that knows nothing of this one', async () => {
  const box = await boxOf(world)
  await box.receive({ subject: 'Read on', html: `<p><a href="${world.base}/docs/" target="_self">here</a></p>` })
  const { visitor, page } = await visit(box)
  await show(visitor, box, 'Read on')
  const link = page.locator('article iframe').contentFrame().getByRole('link', { name: 'here' })
  // By the keyboard: the frame may still grow, and move what is clicked on.
  const [opened] = await Promise.all([page.context().waitForEvent('page'), link.press('Enter')])
  await opened.waitForLoadState()
  assert.deepEqual(await opened.evaluate('[window.opener, document.referrer]'), [null, ''])
  assert.equal(new URL(opened.url()).pathname, '/docs/')
  assert.match(new URL(page.url()).pathname, /^\/mail\//)
})

test('markup and marks of direction in names of people, files and labels are text', async () => {
  const box = await boxOf(world)
  const evil = '<img src=x onerror=harmed=1>'
  await box.organization.request('POST', '/v1/labels', { name: '<b>Bold</b>' })
  await box.receive({
    from: { name: `${evil} \u202eknab`, address: 'ann@peer.example' },
    subject: `${evil} \u202egnp.exe`,
    text: `${evil} <a href="javascript:harmed=1">x</a>`,
    attachments: [{ filename: `${evil}\u202egnp.exe`, content: 'x' }],
  })
  await box.change({ add_labels: ['b-bold-b'] })
  const { visitor, page } = await visit(box, pathOf(box))
  await openConversation(page, '<b>Bold</b>')
  const heading = page.getByRole('heading', { level: 1 }).filter({ hasText: `${evil} gnp.exe` })
  const file = page.getByRole('article').getByRole('link', { name: /gnp.exe/ })
  for (const one of [heading, file]) await one.waitFor()
  await page.getByText('<a href="javascript:harmed=1">x</a>', { exact: false }).first().waitFor()
  assert.equal(await page.evaluate('window.harmed'), undefined)
  assert.ok(!(await page.locator('body').innerText()).includes('\u202e'))
  await visitor.assertSound()
})
