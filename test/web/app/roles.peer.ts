import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page, Request } from 'playwright-core'
import { byOperator } from '#/audit/actor.ts'
import type { Permission } from '#/http/access/permissions.ts'
import type { Scope } from '#/http/access/scopes.ts'
import { giveAccess } from '#/mailboxes/access/access.ts'
import { permissionsOfRole, scopesOfRole } from '#/sessions/roles.ts'
import { recordBounces } from '#/suppressions/queries.ts'
import { Visitor } from '#test/web/browser.ts'
import { startSite } from '#test/web/site.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { pageActions, pages } from '../../../web/src/app/navigation.ts'

const { world, browser } = await startSite()

const roles = ['owner', 'admin', 'member'] as const
type Role = (typeof roles)[number]
type Need = Scope | Permission

/** What a role may do, by the service's own table. */
const may = (role: Role, need: Need) => [...scopesOfRole(role), ...permissionsOfRole(role)].some((one) => one === need)

const everyone = null
const others: Jobs = [[everyone, /^/]]

/** What the buttons of a page are for, and what each needs; the first that fits. */
type Jobs = readonly (readonly [Need | typeof everyone, RegExp])[]

const jobs: Readonly<Record<string, Jobs>> = {
  ...{
    '/': [],
    '/mail': [],
    '/search': others,
    '/profile': others,
    '/$': [],
    '/changes': [['messages:write', /^Undo /]],
  },
  ...{ '/mail/$mailbox/$folder': others, '/mail/$mailbox/$folder/$thread': others },
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
  '/webhooks/$id': [['webhooks:write', /^(Send a test|Change|Pause|New secret|Delete)$/]],
  '/audit': [['read_audit', /^Everything/]],
}

/** What is shown last of pages that load parts of them later. */
const last: Readonly<Record<string, (page: Page, role: Role) => Locator>> = {
  '/mail/$mailbox/$folder': (page) => page.getByRole('row').first(),
  '/mail/$mailbox/$folder/$thread': (page) => page.getByRole('button', { name: 'Reply to all' }),
  '/approvals': (page, role) =>
    may(role, 'sending:approve')
      ? page.getByRole('button', { name: 'Approve' })
      : page.getByText('An owner or an admin decides.'),
  '/labels': (page) => page.getByRole('row', { name: /stray/ }),
  '/profile': (page) => page.getByRole('button', { name: /^Add a signature/ }).first(),
}

interface Place {
  readonly organization: TestOrganization
  readonly members: ReadonlyMap<Role, { readonly id: string; readonly address: string }>
  /** What stands for the parameters of routes. */
  readonly params: Readonly<Record<string, string>>
}

/** An organization that has something for each page, and a mailbox that an owner, an admin and a member send from. */
async function furnished(): Promise<Place> {
  const organization = await world.organization()
  const create = async (path: string, body: object, key = organization.key) => {
    const { status, body: made } = await organization.request('POST', path, body, { key })
    assert.ok(status < 300, JSON.stringify(made))
    return made
  }
  const desk = await organization.mailbox('desk')
  const mailbox = { organizationId: organization.id, mailboxId: desk.id }
  const members = new Map<Role, { id: string; address: string }>()
  for (const role of roles) {
    const { address } = await organization.mailbox(role)
    const { id } = await organization.member(address, role)
    members.set(role, { id, address })
    const sharing = { mailbox, memberId: id, shares: 'all', by: byOperator } as const
    await world.db.transaction().execute((tx) => giveAccess(tx, sharing, 'send'))
  }
  for (const name of ['Invoices', 'Receipts']) await create('/v1/labels', { name })
  const rule = { name: 'Bills', field: 'subject', op: 'contains', value: 'engine', action: 'star' }
  await create('/v1/filters', rule)
  await create('/v1/blocked-senders', { pattern: '@spam.example' })
  await create('/v1/domains', { domain: `shop.${organization.domain}` })
  const send_at = new Date(world.clock.now() + 3_600_000).toISOString()
  await create('/v1/scheduled', {
    from: desk.address,
    to: ['a@there.example'],
    subject: 'Monday',
    text: 'At nine.',
    send_at,
  })
  const { id: draft } = await create('/v1/drafts', { mailbox: desk.address, to: 'a@there.example', subject: 'Price' })
  await create(`/v1/drafts/${draft}/approval`, {}, await organization.newKey('sending:draft'))
  const { id: webhook } = await create('/v1/webhooks', { url: 'https://hooks.there.example/', types: ['quota'] })
  const bounce = { organizationId: organization.id, mailboxId: desk.id, cause: 'complained', status: null } as const
  const complaint = { ...bounce, address: 'gone@there.example', reply: null }
  await world.db.transaction().execute((tx) => recordBounces(tx, [complaint]))
  await world.send({ from: 'ann@there.example', to: desk.address, subject: 'The moon', text: 'Look.' })
  const at = new URLSearchParams({ mailbox: desk.address })
  const [{ uid }] = (await organization.request('GET', `/v1/messages?${at}`)).body.data
  await organization.request('PATCH', `/v1/messages?${at}`, { uids: [uid], starred: true, add_labels: ['invoices'] })
  await world.mailHost.update(mailbox, 'inbox', [uid], { addKeywords: ['stray'] })
  const [{ id: thread }] = (await organization.request('GET', `/v1/threads?${at}`)).body.data
  const params = { mailbox: desk.address, folder: 'inbox', thread, address: desk.address, id: webhook }
  return { organization, members, params }
}

/** A route's path with values for its parameters. */
function pathOf(route: string, params: Place['params']): string {
  return route.replaceAll(/\$(\w*)/g, (_, name: string) => {
    if (name === '') return 'no-such-page'
    assert.ok(Object.hasOwn(params, name), `a value for $${name} of ${route}, for all roles`)
    return encodeURIComponent(params[name] ?? '')
  })
}

/** The requests to the service that the page has made and that nobody has looked at yet. */
class Asked {
  readonly #requests: Request[] = []

  constructor(page: Page) {
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/v1/') && pathname !== '/v1/events/stream') this.#requests.push(request)
    })
  }

  /** Waits for their answers; those that are refusals. */
  async refused(): Promise<string[]> {
    const refused: string[] = []
    for (let request = this.#requests.shift(); request; request = this.#requests.shift()) {
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
  const { organization, members, params } = await furnished()
  const shown = new Map<string, string[]>()
  for (const role of roles) {
    const { id = '', address = '' } = members.get(role) ?? {}
    await using visitor = await Visitor.signIn(browser, organization, id)
    const { page } = visitor
    const asked = new Asked(page)
    await visitor.open('/')
    const routes: string[] = await page.evaluate('Object.keys(__TSR_ROUTER__.routesByPath)')
    assert.ok(pages.every(({ to }) => routes.includes(to)))
    for (const route of routes) {
      // Without a session.
      if (route === '/sign-in' || route === '/confirm') continue
      // Requests are limited by the minute.
      world.clock.advance(10_000)
      await visitor.open(pathOf(route, params))
      const { needs } = pages.find(({ to }) => to === `/${route.split('/')[1]}`) ?? {}
      const isAllowed = needs === undefined || may(role, needs)
      const refusal = page.getByRole('main').getByRole('heading', { name: 'You may not see this page' })
      assert.equal(await refusal.count(), isAllowed ? 0 : 1, `${role} at ${route}`)
      if (isAllowed) await last[route]?.(page, role).waitFor()
      assert.deepEqual(await asked.refused(), [], `${role} at ${route}`)
      // Other tests look at the same with axe.
      if (role === 'member' && route === '/approvals') await visitor.assertSound()
      else await visitor.assertFits()
      const ofPage = jobs[route]
      assert.ok(ofPage, `the jobs of ${route}`)
      const names = (await namesOf(page)).map((name) => name.replace(address, route === '/profile' ? 'own' : address))
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
