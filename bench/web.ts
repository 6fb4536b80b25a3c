import type { Page } from 'playwright-core'
import { foundBuild } from '#/app/web/build.ts'
import { openBrowser, Visitor } from '#test/web/browser.ts'
import { World } from '#test/world/world.ts'
import { heavyHtml, heavyTexts } from './heavy-mail.ts'
import { longestTask } from './longest-task.ts'
import { Inbox } from './mailbox/folder.ts'
import { median, type Row } from './report.ts'

/** The factor by which the browser's processor is slowed. */
const slowed = 4
const inMilliseconds = { unit: 'ms' } as const

/** The web app in a browser on a slowed processor, in a large mailbox: until its list is there, until a conversation is, until arriving
 *  mail is, and the longest that the page could not be used. */
export async function web({
  messages = 100_000,
  visits = 10,
  openings = 50,
  heavy = Number.POSITIVE_INFINITY,
} = {}): Promise<Row[]> {
  await using world = await World.start({ web: await foundBuild() })
  const organization = await world.organization()
  const { id: mailboxId, address } = await organization.mailbox('ada')
  const inbox = new Inbox(world, { organizationId: organization.id, mailboxId })
  await inbox.growTo(messages)
  const { id } = await organization.member(address, 'owner')
  await using browser = await openBrowser()
  await using visitor = await Visitor.signIn(browser, organization, id)
  const { page } = visitor
  await page.addInitScript(watch)
  const client = await page.context().newCDPSession(page)
  await client.send('Emulation.setCPUThrottlingRate', { rate: slowed })

  const list = `/mail/${encodeURIComponent(address)}/inbox`
  const longest: number[] = []
  const noteLongest = async () => longest.push((await page.evaluate('bench.longest')) as number)
  const shown: number[] = []
  for (let visit = 0; visit < visits; visit++) {
    await page.goto(list)
    shown.push((await page.evaluate('bench.list')) as number)
    if (visit + 1 < visits) await noteLongest()
  }
  const opened: number[] = []
  for (let opening = 0; opening < openings; opening++) opened.push(await open(page, opening))
  await noteLongest()
  await page.goto(list)
  await page.evaluate('bench.list')
  const end = await toTheEnd(page)
  await noteLongest()
  const came = await arrive(page, { world, list, address })
  const held = await openTables(page, { world, list, address })
  await using quick = await Visitor.signIn(browser, organization, id)
  const heavyHeld = await openHeavy(quick.page, { world, list, address }, heavy)
  const many = messages.toLocaleString('en')
  return [
    { what: `The list of ${many} messages is there, median`, value: median(shown), ...inMilliseconds, most: 1_500 },
    { what: '  slowest', value: Math.max(...shown), ...inMilliseconds },
    { what: 'A conversation is there, 95th percentile', value: nearly(opened), ...inMilliseconds, most: 150 },
    { what: '  median', value: median(opened), ...inMilliseconds },
    { what: 'The end of the list is there', value: end, ...inMilliseconds },
    { what: 'An arriving message is there', value: came, ...inMilliseconds, most: 1_000 },
    { what: 'Longest task as 5 MB of nested tables are opened', value: held, ...inMilliseconds, most: 200 },
    {
      what: `Longest task as heavy mail is opened: ${heavyHeld.what}`,
      value: heavyHeld.ms,
      ...inMilliseconds,
      most: heavyMost,
    },
    { what: 'Longest task', value: Math.max(...longest), ...inMilliseconds, most: 100 },
  ]
}

/** Presses the key for the next conversation, and answers how long it takes until it is there. */
async function open(page: Page, opening: number): Promise<number> {
  await page.evaluate('bench.begin()')
  await page.keyboard.press(opening === 0 ? 'o' : 'j')
  return (await page.evaluate('bench.opened')) as number
}

/** Presses End in the list, and answers how long it takes until its last row is there. */
async function toTheEnd(page: Page): Promise<number> {
  await page.evaluate('bench.beginEnd()')
  await page.keyboard.press('End')
  return (await page.evaluate('bench.ended')) as number
}

interface Mailbox {
  readonly world: World
  readonly list: string
  readonly address: string
}

const letter = { from: 'Ann <ann@peer.example>', text: 'Look.' }

/** Until a message is in the list that is shown, from when the service has accepted it. */
async function arrive(page: Page, { world, list, address }: Mailbox): Promise<number> {
  await page.goto(list)
  await page.evaluate('bench.list')
  await page.evaluate('bench.beginArrival("Just arrived")')
  await world.send({ ...letter, to: address, subject: 'Just arrived' })
  const accepted = performance.now()
  await page.evaluate('bench.arrived')
  return performance.now() - accepted
}

/** The longest task as a message is opened that would hold the page for minutes if it were shown as it is. */
async function openTables(page: Page, { world, list, address }: Mailbox): Promise<number> {
  const html = `<p>Look</p>${'<table><tr><td>'.repeat(350_000)}`
  await world.send({ ...letter, to: address, subject: 'Tables', html })
  await page.goto(list)
  const row = page.getByRole('link', { name: 'Tables', exact: true })
  await row.waitFor()
  await page.waitForLoadState('networkidle')
  await page.evaluate('bench.longest = 0')
  await row.click()
  await page.getByText('is too large').waitFor()
  await page.evaluate('bench.drawn()')
  return (await page.evaluate('bench.longest')) as number
}

/** A fifth of a second of the processor, which is not slowed. */
const heavyMost = 200

/** The longest task, in CPU time, as messages are opened that would hang a browser if they were shown as they are, so many of each kind. */
async function openHeavy(page: Page, { world, list, address }: Mailbox, count: number) {
  const letters = [
    ...Object.entries(heavyHtml)
      .slice(0, count)
      .map(([what, html]) => ({ what, text: '', html: `<p>Dear Ada</p>${html}<p>The end</p>` })),
    ...Object.entries(heavyTexts)
      .slice(0, count)
      .map(([what, text]) => ({ what, text: `Dear Ada\n${text}` })),
  ]
  let longest = { what: '', ms: 0 }
  for (const { what, ...message } of letters) {
    await world.send({ ...letter, to: address, subject: what, ...message })
    const ms = await longestTask(page, heavyMost, async () => {
      await page.goto(list)
      await page.getByRole('link', { name: what, exact: true }).click()
      if (what === 'more than is shown unasked')
        await page.getByRole('button', { name: 'Show with formatting' }).click()
      const frames = page.locator('article iframe')
      if ('html' in message) await frames.last().contentFrame().getByText('The end').waitFor({ state: 'attached' })
      else await page.getByRole('article').getByText('Dear Ada').last().waitFor()
    })
    if (ms > longest.ms) longest = { what, ms }
  }
  return longest
}

const nearly = (times: readonly number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0

/** In the page, from its beginning: `list` is when the list was there, and `opened`, after `begin()`, how long a conversation with its
 *  newest message took from the key that was pressed. Times are those of the frame after. */
const watch = `
globalThis.bench = { longest: 0 }
const frame = () => new Promise((drawn) => requestAnimationFrame(() => setTimeout(() => drawn(performance.now()))))
const until = (isThere) => new Promise((there) => {
  const look = () => {
    if (!isThere()) return
    observer.disconnect()
    frame().then(there)
  }
  const observer = new MutationObserver(look)
  observer.observe(document, { childList: true, subtree: true, attributes: true, characterData: true })
  look()
})
const find = (selector) => document.querySelector(selector)
bench.list = until(() => find('[role=row] [role=gridcell] a'))
bench.drawn = frame
bench.beginArrival = (subject) => {
  bench.arrived = until(() => find('[role=row][aria-rowindex="1"] a')?.textContent === subject)
}
bench.begin = () => {
  const before = find('article h1')
  let pressed
  addEventListener('keydown', ({ timeStamp }) => { pressed = timeStamp }, { once: true, capture: true })
  const isThere = () => {
    const now = find('article h1')
    return now && now !== before && find('article section dl') && !find('article [role=status][aria-label^=Loading]')
  }
  bench.opened = until(isThere).then((time) => time - pressed)
}
bench.beginEnd = () => {
  const grid = find('[role=grid]')
  find('[role=row] [role=gridcell] a').closest('[role=row]').focus()
  const began = performance.now()
  bench.ended = until(() => {
    const last = find('[role=row][aria-rowindex="' + grid.getAttribute('aria-rowcount') + '"] [role=gridcell] a')
    return last && last.textContent
  }).then((time) => time - began)
}
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) bench.longest = Math.max(bench.longest, duration)
}).observe({ type: 'longtask', buffered: true })
`
