import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page, Request } from 'playwright-core'
import type { Permission } from '#/http/access/permissions.ts'
import type { Scope } from '#/http/access/scopes.ts'
import { permissionsOfRole, scopesOfRole } from '#/people/sessions/roles.ts'
import { type Visitor, windows, zoomed } from '#test/web/browser.ts'
import { type Furnished, furnished, type Role, roles } from '#test/web/furnished.ts'
import type { Box } from '#test/web/mailbox.ts'
import { startSite } from '#test/web/site.ts'
import { pageActions, pages } from '../../../web/src/app/navigation.ts'

const { world, visit, arrive } = await startSite()

type Need = Scope | Permission

/** What a role may do, by the service's own table. */
const may = (role: Role, need: Need) => [...scopesOfRole(role), ...permissionsOfRole(role)].some((one) => one === need)

const everyone = null
const others: Jobs = [[everyone, /^/]]

/** What the buttons of a page are for, and what each needs; the first that fits. */
type Jobs = readonly (readonly [Need | typeof everyone, RegExp])[]

const jobs: Readonly<Record<string, Jobs>> = {
  ...{ '/': [], '/mail': [], '/search': others, '/profile': others, '/$': [] },
  ...{ '/mail/$mailbox/$folder': others, '/mail/$mailbox/$folder/$message': others },
  '/changes': [['messages:write', /^Undo /]],
  '/labels': [
    ['labels:write', /^New label$|^(Edit|Merge|Delete) (Invoices|Receipts)\b|^(Adopt|Remove everywhere:) stray$/],
    [everyone, /^New own label$/],
  ],
  '/filters': [
    ['filters:write', /^New filter$|^(Edit|Delete|Move) Bills$/],
    ['messages:write', /^On old mail: Bills$|^Run all on old mail$/],
    ['filters:read', /^Try on a message$/],
    [everyone, /^New own filter$/],
  ],
  '/blocked-senders': [
    ['filters:write', /^Block senders$|^Unblock /],
    [everyone, /^Block for yourself$/],
  ],
  '/scheduled': [['scheduled:write', /^Cancel Monday$/]],
  '/approvals': [['sending:approve', /^(Approve|Decline)$/]],
  '/suppressed': [['sending:write', /^Send again to /]],
  '/domains': [['domains:write', /^Add a domain$|^Remove /]],
  '/mailboxes': [['mailboxes:write', /^New mailbox$/]],
  '/mailboxes/$address': [
    ['manage_mailboxes', /^(Suspend|Delete|Share)$|^End access of /],
    ['forwarding:write', /^Change (auto-reply|forwarding)$/],
  ],
  '/members': [
    ['manage_owners', / owner@/],
    ['manage_members', /^Add a member$|^(New link for|Role of|Remove) /],
  ],
  '/api-keys': [['manage_api_keys', /^New API key$|^Revoke /]],
  '/webhooks': [['webhooks:write', /^New webhook$/]],
  '/webhooks/$id': [['webhooks:write', /^(Send a test|Change|Pause|New secret|Delete)$|^Deliver /]],
  '/audit': [['read_audit', /^Everything/]],
}

/** What is shown last of pages that load parts of them later. */
const last: Readonly<Record<string, (page: Page, role: Role) => Locator>> = {
  '/mail/$mailbox/$folder': (page) => page.getByRole('row').first(),
  '/mail/$mailbox/$folder/$message': (page) => page.getByRole('button', { name: 'Reply to all' }),
  '/approvals': (page, role) =>
    may(role, 'sending:approve')
      ? page.getByRole('button', { name: 'Approve' })
      : page.getByText('An owner or an admin decides.'),
  '/labels': (page) => page.getByRole('row', { name: /stray/ }),
  '/profile': (page) => page.getByRole('button', { name: /^Add a signature/ }).first(),
}

/** A route's path with values for its parameters. */
function pathOf(route: string, params: Furnished['params']): string {
  return route.replaceAll(/\$(\w*)/g, (_, name: string) => {
    if (name === '') return 'no-such-page'
    assert.ok(Object.hasOwn(params, name), `a value for $${name} of ${route}, for all roles`)
    return encodeURIComponent(params[name] ?? '')
  })
}

/** The routes of the app that need a session. */
async function routesOf(visitor: Visitor): Promise<string[]> {
  await visitor.open('/')
  const routes = await visitor.page.evaluate<string[]>('Object.keys(__TSR_ROUTER__.routesByPath)')
  assert.ok(pages.every(({ to }) => routes.includes(to)))
  return routes.filter((route) => route !== '/sign-in' && route !== '/confirm')
}

/** Waits for the answers to the requests to the service that the page has made and nobody has looked at yet; those that are refusals. */
function watchRefusals(page: Page): () => Promise<string[]> {
  const requests: Request[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/v1/') && pathname !== '/v1/events/stream') requests.push(request)
  })
  return async () => {
    const refused: string[] = []
    for (let request = requests.shift(); request; request = requests.shift()) {
      const status = (await request.response())?.status() ?? 0
      if (status >= 400) refused.push(`${status} ${request.method()} ${request.url()}`)
    }
    return refused
  }
}

/** The names of the page's buttons. What there is to copy, which needs nothing, changes as records of domains are looked up. */
const namesOf = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('main button')]
    .filter((button) => button.checkVisibility())
    .map((button) => button.getAttribute('aria-label') ?? button.textContent.trim())
    .filter((name) => !/^Copy |^(Hide|Show) records$/.test(name))`)

test('every page shows each role what it may see and do, and nothing that the service would refuse', async () => {
  const { members, params } = await furnished(world)
  const shown = new Map<string, string[]>()
  for (const role of roles) {
    const member = members.get(role) as Box
    const { visitor, page } = await visit(member)
    const refusals = watchRefusals(page)
    for (const route of await routesOf(visitor)) {
      // Requests are limited by the minute.
      world.clock.advance(10_000)
      await visitor.open(pathOf(route, params))
      const { needs } = pages.find(({ to }) => to === `/${route.split('/')[1]}`) ?? {}
      const isAllowed = needs === undefined || may(role, needs)
      const refusal = page.getByRole('main').getByRole('heading', { name: 'You may not see this page' })
      assert.equal(await refusal.count(), isAllowed ? 0 : 1, `${role} at ${route}`)
      if (isAllowed) await last[route]?.(page, role).waitFor()
      assert.deepEqual(await refusals(), [], `${role} at ${route}`)
      // The test below looks at what an owner sees.
      if (role === 'member') await visitor.assertSound()
      const ofPage = jobs[route]
      assert.ok(ofPage, `the jobs of ${route}`)
      const names = (await namesOf(page)).map((name) =>
        route === '/profile' ? name.replace(member.address, 'own') : name,
      )
      for (const name of names) assert.ok(needOf(ofPage, name) !== undefined, `what “${name}” at ${route} needs`)
      shown.set(`${route} ${role}`, names.toSorted())
    }
    for (const { to, name, needs } of pageActions)
      if (name !== 'Try filters on a message')
        assert.equal(shown.get(`${to} ${role}`)?.includes(name), may(role, needs), `${role}: ${name} at ${to}`)
    for (const [route, ofPage] of Object.entries(jobs)) {
      const expected = shown.get(`${route} owner`)?.filter((name) => {
        const need = needOf(ofPage, name)
        return need === everyone || (need !== undefined && may(role, need))
      })
      assert.deepEqual(shown.get(`${route} ${role}`), expected, `${role} at ${route}`)
    }
  }
})

const needOf = (of: Jobs, name: string) => of.find(([, pattern]) => pattern.test(name))?.[0]

for (const [what, options] of [...windows, ['a wide window at a zoom of 200 %', zoomed]] as const)
  test(`every page is sound in ${what}, filled and empty`, async () => {
    const { members, params } = await furnished(world)
    const { visitor: full } = await visit(members.get('owner') as Box, undefined, options)
    const { visitor: bare } = await arrive(undefined, options)
    for (const route of await routesOf(full)) {
      world.clock.advance(10_000)
      await full.open(pathOf(route, params))
      await last[route]?.(full.page, 'owner').waitFor()
      if (options !== zoomed) await full.assertSound()
      else await full.assertFits()
      if (route.includes('$') || options === zoomed) continue
      await bare.open(route)
      await bare.assertSound()
    }
  })
