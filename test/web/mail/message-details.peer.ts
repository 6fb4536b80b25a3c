import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conversation, list, openConversation, pathOf } from '#test/web/app.ts'
import { boxOf } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'

const { world, visit } = await startSite()

for (const [name, policy] of [
  ['careful.example', 'quarantine'],
  ['watched.example', 'none'],
])
  world.dns.set(`_dmarc.${name}`, { txt: [`v=DMARC1; p=${policy}`] })
world.dns.set('proven.example', { txt: ['v=spf1 ip4:127.0.0.1 -all'] })

test('a message says in plain words whether its sender is proven, and why it is in Junk', async () => {
  const box = await boxOf(world)
  const { visitor, page } = await visit(box)
  const read = async (folder: string, subject: string) => {
    await visitor.open(pathOf(box, folder))
    await openConversation(page, new RegExp(subject))
    await conversation(page).getByText('Hello, Ada').waitFor()
  }
  const shown = async (text: RegExp) => (await conversation(page).getByText(text).count()) > 0
  const reasons = {
    forged: /^Be careful: this message claims to be from/,
    unproven: /^Nothing proves that this message is from elsewhere\.example/,
    dmarc: /^It fails the check of its author’s domain \(DMARC\)/,
    authors: /^It is in Junk because its author cannot be determined/,
    moved: /^It was moved to Junk after it arrived/,
  }
  const letter = { text: 'Hello, Ada' }
  const mallory = { name: 'Mallory', address: 'mallory@careful.example' }
  await box.receive({ ...letter, subject: 'Forged', from: mallory })
  await box.receive({ ...letter, subject: 'Watched', from: 'mallory@watched.example' })
  await box.receive({ ...letter, subject: 'Unproven', from: 'bob@elsewhere.example' })
  await box.receive({ ...letter, subject: 'Proven', from: 'cy@proven.example' })
  await box.receive({ ...letter, subject: 'By hand', from: 'cy@proven.example' })
  const byHand = (await box.states()).find(({ subject }) => subject === 'By hand')
  await box.change([byHand?.uid ?? 0], { folder: 'junk' })
  for (const [folder, subject, ...expected] of [
    ['junk', 'Forged', 'forged', 'dmarc'],
    ['inbox', 'Watched', 'forged'],
    ['inbox', 'Unproven', 'unproven'],
    ['inbox', 'Proven'],
    ['junk', 'By hand', 'moved'],
  ] as const) {
    await read(folder, subject)
    for (const [reason, text] of Object.entries(reasons))
      assert.equal(await shown(text), (expected as readonly string[]).includes(reason), `${subject}: ${reason}`)
    if (expected.length > 0) await visitor.assertSound()
  }
})

test('on paper there is the conversation alone', async () => {
  const box = await boxOf(world)
  await box.receive({ subject: 'The moon', html: `<p>It is full</p>${'<p>And bright</p>'.repeat(80)}` })
  const { visitor, page } = await visit(box)
  await page.addInitScript("print = () => document.documentElement.setAttribute('data-printed', '')")
  await visitor.open(pathOf(box))
  await openConversation(page, 'The moon')
  const text = page.frameLocator('article iframe').getByText('It is full')
  await text.waitFor()
  await page.getByRole('button', { name: 'Print' }).click()
  await page.locator('html[data-printed]').waitFor({ state: 'attached' })
  await page.emulateMedia({ media: 'print' })
  assert.ok((await text.isVisible()) && (await page.getByRole('heading', { name: 'The moon' }).isVisible()))
  assert.equal(await list(page).isVisible(), false)
  // Whom it is from.
  assert.equal(await page.getByRole('button').count(), 1)
  assert.ok(await page.getByRole('button', { name: /Ann/ }).isVisible())
  assert.equal(await page.getByRole('navigation').count(), 0)
  // “10:15” says nothing tomorrow.
  assert.ok(
    await page
      .locator('header')
      .getByText(/20\d\d/)
      .isVisible(),
  )
  // The whole conversation, not only what fits a window.
  const sheets = (await page.pdf()).toString('latin1').match(/\/Type\s*\/Page\b/g) ?? []
  assert.ok(sheets.length > 1, `${sheets.length}`)
})
