import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Enrolled } from '#test/dns/enrolled.ts'
import { holds } from '#test/web/app.ts'
import { Visitor } from '#test/web/browser.ts'
import { startSite } from '#test/web/site.ts'

const { world, browser } = await startSite()

test('a domain says of each record what is expected, what was found, the mistake and its remedy', async () => {
  const organization = await world.organization()
  const { id } = await organization.member(`ada@${organization.domain}`, 'owner')
  const domain = await Enrolled.enrol(organization, `shop.${organization.domain}`)
  await using visitor = await Visitor.signIn(browser, organization, id, {
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const { page } = visitor
  await visitor.open('/domains')
  const region = page.getByRole('region', { name: `shop.${organization.domain}` })
  await region.getByText('0 of 4 records found').waitFor()
  await region.getByText('First check').waitFor()
  assert.equal(await region.getByText('Not checked yet').count(), 4)

  await domain.publish('ownership', 'mx')
  const { dns } = await domain.shown()
  const dmarc = dns.find(({ purpose }) => purpose === 'dmarc')
  world.dns.set(dmarc?.name ?? '', { txt: ['v=DMARC1; p=none', 'v=DMARC1; p=reject'] })
  const spf = dns.find(({ purpose }) => purpose === 'spf')
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
  const problems = Object.fromEntries(shown.map(({ purpose, problem }) => [purpose, problem]))
  assert.deepEqual([problems.spf, problems.dmarc, problems.dkim], ['mismatch', 'conflict', null])
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
})
