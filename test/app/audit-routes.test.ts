import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { entriesOf } from '#/base/audit/queries.ts'
import { Refusals } from '#/base/audit/refusals.ts'
import { each } from '#test/world/each.ts'
import { signIn } from '#test/world/members/signed-in.ts'
import { type Furnished, furnish } from '#test/world/organization/furnished.ts'
import { withPersonalItems } from '#test/world/organization/personal-items.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { everyOperation, memberOperations, pathOf, removingLast } from '#test/world/routes/every-route.ts'
import { routes } from '#test/world/routes/rules.ts'
import { ownSamples } from '#test/world/routes/samples.ts'
import { World } from '#test/world/world.ts'

/** What each route that changes settings leaves in the audit trail. */
const recorded: Readonly<Record<string, string>> = {
  ...routes('label.created', 'POST labels orphan-labels'),
  ...routes('label.changed', 'PATCH labels/{id}'),
  ...routes('label.deleted', 'DELETE labels/{id}; POST labels/{id}/merge'),
  ...routes('filter.created', 'POST filters'),
  ...routes('filter.changed', 'PATCH filters/{id}'),
  ...routes('filter.deleted', 'DELETE filters/{id}'),
  ...routes('blocked_sender.created', 'POST blocked-senders'),
  ...routes('blocked_sender.deleted', 'DELETE blocked-senders/{id}'),
  ...routes('forwarding.changed', 'PATCH forwarding'),
  ...routes('domain.enrolled', 'POST domains'),
  ...routes('domain.removed', 'DELETE domains/{id}'),
  ...routes('mailbox.created', 'POST mailboxes'),
  ...routes('suppression.deleted', 'DELETE suppressions/{address}'),
  ...routes('webhook.created', 'POST webhooks'),
  ...routes('webhook.changed', 'PATCH webhooks/{id}'),
  ...routes('webhook.deleted', 'DELETE webhooks/{id}'),
  ...routes('webhook.secret_rotated', 'POST webhooks/{id}/rotate'),
}

/** The same of routes for members alone. */
const recordedOfMembers: Readonly<Record<string, string>> = {
  ...routes('key.created', 'POST api-keys'),
  ...routes('key.revoked', 'DELETE api-keys/{id}'),
  ...routes('member.added', 'POST members'),
  ...routes('member.invited', 'POST members/{id}/invitation'),
  ...routes('member.role_changed', 'PATCH members/{id}'),
  ...routes('member.removed', 'DELETE members/{id}'),
  ...routes('member.signed_out', 'DELETE session'),
  ...routes('member.password_changed', 'PUT me/password'),
  ...routes('mailbox.suspended', 'POST mailboxes/{address}/suspend'),
  ...routes('mailbox.resumed', 'POST mailboxes/{address}/resume'),
  ...routes('mailbox.suspended mailbox.deleted', 'DELETE mailboxes/{address}'),
  ...routes(
    'mailbox.access_changed',
    'PUT mailboxes/{address}/access/{member_id}; DELETE mailboxes/{address}/access/{member_id}',
  ),
  ...Object.fromEntries(
    Object.entries(recorded)
      .map(([name, action]) => [name.replace('/v1/', '/v1/me/'), action] as const)
      .filter(([name]) => name in ownSamples),
  ),
}

/** They change mail, or nothing. */
const noSettings = routes(
  '',
  'POST filters/test filters/runs filters/{id}/runs filter-runs/{id}/cancel send send/batch messages/{uid}/reply drafts ' +
    'drafts/{id}/attachments drafts/{id}/send drafts/{id}/approval approvals/{id}/approve approvals/{id}/decline folders ' +
    'folders/{path}/empty changes/{id}/undo scheduled scheduled/{id}/retry webhooks/{id}/replay webhooks/{id}/test; ' +
    'PATCH drafts/{id} folders/{path} messages messages/{uid} scheduled/{id}; DELETE drafts/{id} folders/{path} messages ' +
    'drafts/{id}/attachments/{index} orphan-labels/{keyword} scheduled/{id}',
)

/** Their samples change nothing, or no settings; src/people/sessions/{totp,passkeys}/routes.test.ts have the entries of factors and passkeys. */
const noSettingsOfMembers = routes(
  '',
  'POST me/filters/test me/filters/runs me/filters/{id}/runs me/filter-runs/{id}/cancel session session/link ' +
    'session/confirm me/totp me/totp/confirm session/challenge session/confirm/challenge session/single-sign-on ' +
    'session/confirm/single-sign-on me/passkeys/challenge me/passkeys; PUT me/presence me/signatures/{address}; ' +
    'PATCH me/passkeys/{id}; DELETE me/totp me/passkeys/{id} me/sessions/{id}',
)

const world = await World.ofFile()

const trailOf = (organization: TestOrganization) => entriesOf(world.db, organization.id, {}, 1_000)

type Operation = Awaited<ReturnType<typeof everyOperation>>[number]

/** Asks as the operation's sample does. */
function ask(one: Furnished, { method, path, sample }: Operation, options: object = {}) {
  return one.organization.request(method, pathOf(path, sample, one), sample.body?.(one), options)
}

test('every route is known to change settings or not', async () => {
  const unsafe = (await everyOperation(world)).filter(({ method }) => method !== 'GET').map(({ name }) => name)
  assert.deepEqual(unsafe.sort(), Object.keys({ ...recorded, ...noSettings }).sort())
  const ofMembers = (await memberOperations(world)).filter(({ method }) => method !== 'GET').map(({ name }) => name)
  assert.deepEqual(ofMembers.sort(), Object.keys({ ...recordedOfMembers, ...noSettingsOfMembers }).sort())
})

test('a change leaves one entry: who, from where, what was before and after; a refused one leaves none', async () => {
  const secrets: string[] = []
  const trails: string[] = []
  const one = await furnish(world)
  const { organization } = one
  const powerless = await organization.newKey('usage:read')
  for (const operation of removingLast(await everyOperation(world))) {
    const { name, method, path, sample } = operation
    if (method === 'GET') continue
    const before = await trailOf(organization)
    assert.equal((await ask(one, operation, { key: powerless })).status, 403, name)
    if (sample.body) assert.equal((await organization.request(method, pathOf(path, sample, one), [])).status, 400, name)
    assert.deepEqual(await trailOf(organization), before, `${name} refused`)

    const { status, body } = await ask(one, operation)
    assert.equal(status, sample.status ?? 200, name)
    secrets.push(organization.key, powerless, ...(body?.password ? [body.password] : []))
    const trail = await trailOf(organization)
    trails.push(JSON.stringify(trail))
    const [entry, ...others] = trail
    const action = recorded[name]
    assert.deepEqual(action === undefined ? trail : others, before, name)
    if (action === undefined || !entry) continue
    const { key } = organization
    const keyName = `${key.slice(0, 8)}…${key.slice(-4)} test`
    assert.partialDeepStrictEqual(entry, { action, actor: { kind: 'key', name: keyName, address: '127.0.0.1' } }, name)
    // Of two that are merged one goes.
    const removes = method === 'DELETE' || name.endsWith('/merge')
    assert.deepEqual([entry.before === null, entry.after === null], [method === 'POST' && !removes, removes], name)
    assert.notDeepEqual(entry.before, entry.after, name)
  }
  assert.ok(!secrets.every((secret) => secret.startsWith('mrk_')), 'a password was made')
  for (const secret of secrets) assert.ok(!trails.join().includes(secret), 'no secret is in the trail')
})

test('a change in a session leaves one entry or two, which name the member, and whose it is that is changed', async () => {
  const one = await furnish(world)
  const { id } = await one.organization.member('eve@people.example', 'owner')
  const member = await signIn(one.organization, id)
  const own = await withPersonalItems(member, one)
  // None is there behind the last.
  const endsSession = ({ name }: { readonly name: string }) => Number(name === 'DELETE /v1/session')
  const operations = removingLast(await memberOperations(world)).toSorted((a, b) => endsSession(a) - endsSession(b))
  for (const { name, method, path, sample } of operations) {
    const action = recordedOfMembers[name]
    if (action === undefined) continue
    const about = name in ownSamples ? own : one
    const before = await trailOf(one.organization)
    const { status, body } = await member.request(method, pathOf(path, sample, about), sample.body?.(about))
    assert.equal(status, sample.status ?? 200, name)
    const trail = await trailOf(one.organization)
    const entries = trail.slice(0, trail.length - before.length).reverse()
    assert.deepEqual(each(entries, 'action'), action.split(' '), name)
    const actor = { kind: 'member', id, name: 'eve@people.example', address: '127.0.0.1' }
    for (const secret of [body.key, body.link?.split('#')[1], 'correct horse'].filter(Boolean))
      assert.ok(!JSON.stringify(entries).includes(secret), `${name}: no secret is in the trail`)
    for (const entry of entries) {
      assert.partialDeepStrictEqual(entry, { actor }, name)
      if (name in ownSamples) assert.equal((entry.after ?? entry.before)?.member_id, id, name)
    }
  }
})

test('refused requests leave one entry for each organization and client network', async () => {
  await using refusals = new Refusals(world.db, pino({ level: 'silent' }))
  const { id: organizationId, ...organization } = await world.organization()
  const actor = { kind: 'key', id: null, name: `mrk_${organization.name}`, address: '192.0.2.7' } as const
  const by = { organizationId, actor }
  for (const address of ['192.0.2.7', '192.0.2.7', '192.0.2.8']) refusals.count({ by, address, route: 'GET /v1/usage' })
  for (const address of ['2001:db8::1', '2001:db8::2']) refusals.count({ address, route: 'GET /v1/labels' })
  await refusals.write()
  await refusals.write()
  const forbidden = await entriesOf(world.db, organizationId, { action: 'request' }, 10)
  assert.deepEqual(
    forbidden.map(({ action, item, after }) => [action, item.name, after]).reverse(),
    [2, 1].map((requests) => ['request.forbidden', 'GET /v1/usage', { requests }]),
  )
  const [unknown] = await entriesOf(world.db, null, { action: 'request.unauthorized' }, 1)
  assert.partialDeepStrictEqual(unknown, { actor: { kind: 'service', address: '2001:db8::1' }, after: { requests: 2 } })
})

test('of ever so many networks a hundred are counted', async () => {
  await using refusals = new Refusals(world.db, pino({ level: 'silent' }))
  const { id: organizationId } = await world.organization()
  const by = { organizationId, actor: { kind: 'key', id: null, name: '', address: null } } as const
  for (let number = 0; number < 300; number++)
    refusals.count({ by, address: `192.0.${number >> 8}.${number & 255}`, route: 'GET /v1/usage' })
  await refusals.write()
  assert.equal((await entriesOf(world.db, organizationId, { action: 'request' }, 1_000)).length, 100)
})

test('what the service refuses is counted', async () => {
  const other = await World.start({ database: world.database })
  const organization = await world.organization()
  const key = await organization.newKey('usage:read')
  const ask = (token?: string) => other.client.request('GET', '/v1/labels', token === undefined ? {} : { key: token })
  assert.deepEqual([(await ask(key)).status, (await ask('mrk_wrong')).status, (await ask()).status], [403, 401, 401])
  const stranger = async () => (await entriesOf(world.db, null, { action: 'request.unauthorized' }, 1_000)).length
  const before = await stranger()
  await other[Symbol.asyncDispose]()
  const [entry] = await entriesOf(world.db, organization.id, { action: 'request' }, 10)
  assert.partialDeepStrictEqual(entry, { item: { name: 'GET /v1/labels' }, after: { requests: 1 } })
  assert.equal((await stranger()) - before, 1)
})
