import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeLink, originHere } from '#/sessions/invitation/link.ts'
import { Visitor } from '#test/web/browser.ts'
import { boxOf } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'

const { world, browser, visit } = await startSite()

/** A link for a member, as a path of the service. */
async function linkFor({ organization, memberId }: Awaited<ReturnType<typeof boxOf>>): Promise<string> {
  const member = { organizationId: organization.id, memberId }
  const { link } = await makeLink(world.db, member, { base: originHere(world.base), now: world.clock.now() })
  return link.slice(link.indexOf('/sign-in'))
}

test('a link says whose account it opens, and whose session it ends, before it does', async () => {
  const [own, other] = [await boxOf(world), await boxOf(world)]
  const { visitor, page } = await visit(own)
  await page.goto(await linkFor(other))
  await page.getByText(`(${other.address}) of ${other.organization.name}`).waitFor()
  await page.getByRole('alert').getByText(`You are signed in as ${own.address} of ${own.organization.name}`).waitFor()
  await visitor.assertSound()
  const whose = async () => (await (await page.request.get('/v1/me')).json()).email
  assert.equal(await whose(), own.address)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).or(page.locator('nav')).first().waitFor()
  assert.equal(await whose(), other.address)
})

test('after signing in the app stays where it is, though the address says elsewhere', async () => {
  const box = await boxOf(world)
  await using visitor = await Visitor.open(browser, world.base)
  const { page } = visitor
  const [path, token] = (await linkFor(box)).split('#')
  await page.goto(`${path}?to=${encodeURIComponent('/\t/elsewhere.example')}#${token}`)
  await page.getByRole('button', { name: 'Sign in', exact: true }).and(page.locator(':enabled')).click()
  await page.getByRole('navigation').first().waitFor()
  assert.equal(new URL(page.url()).origin, new URL(world.base).origin)
  await visitor.assertFits()
})
