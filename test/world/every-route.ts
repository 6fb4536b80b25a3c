import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { byOperator } from '#/audit/actor.ts'
import { blockSender } from '#/blocked-senders/block.ts'
import { addFilter } from '#/filters/changes.ts'
import { createKey } from '#/keys/keys.ts'
import { addLabel } from '#/labels/catalogue.ts'
import { giveAccess } from '#/mailboxes/access.ts'
import { memberRules, rules } from './rules.ts'
import type { World } from './world.ts'
import type { TestOrganization } from './test-organization.ts'

/** An organization that has one of everything, to make requests about. */
export interface Furnished {
  readonly organization: TestOrganization
  readonly address: string
  readonly ids: {
    readonly label: string
    readonly otherLabel: string
    readonly orphan: string
    readonly mailbox: string
    readonly filter: string
    readonly run: string
    readonly blocked: string
    readonly message: string
    readonly change: string
    readonly folder: string
    readonly emptyFolder: string
    readonly trash: string
    readonly thread: string
    readonly conversation: string
    readonly attachment: string
    readonly domain: string
    readonly draft: string
    readonly draftWithFile: string
    readonly finishedDraft: string
    readonly approval: string
    readonly otherApproval: string
    readonly scheduled: string
    readonly failed: string
    readonly sent: string
    readonly suppressed: string
    readonly apiKey: string
    readonly webhook: string
    /** Of a member with whom the mailbox is shared. */
    readonly member: string
  }
  readonly keyword: string
  /** The address of a picture that the message names. */
  readonly picture: string
}

export async function furnish(world: World): Promise<Furnished> {
  const organization = await world.organization()
  const { id: mailboxId, address } = await organization.mailbox('ada')
  const created = async (path: string, body: object) => (await organization.request('POST', path, body)).body
  const label = await created('/v1/labels', { name: 'Receipts' })
  const filter = await created('/v1/filters', {
    name: 'f',
    field: 'from',
    op: 'is',
    value: 'a@b.example',
    action: 'star',
  })
  const run = await created('/v1/filters/runs', { mailboxes: [address] })
  const blocked = await created('/v1/blocked-senders', { pattern: '@spam.example' })
  const domain = await created('/v1/domains', { domain: `spare-${randomUUID()}.test` })
  const attachments = [{ filename: 'a.txt', content: 'SGk=' }]
  const draft = await created('/v1/drafts', { mailbox: address })
  const draftWithFile = await created('/v1/drafts', { mailbox: address, attachments })
  const approvable = await created('/v1/drafts', { mailbox: address, to: 'bob@nowhere.example' })
  const approval = await created(`/v1/drafts/${approvable.id}/approval`, {})
  const otherApproval = await created(`/v1/drafts/${draftWithFile.id}/approval`, {})
  const finishedDraft = await created('/v1/drafts', { mailbox: address, to: 'bob@nowhere.example' })
  const scheduled = await created('/v1/scheduled', later(world, address))
  const failed = await created('/v1/scheduled', later(world, address))
  const sent = await created('/v1/send', { from: address, to: 'bob@nowhere.example', text: 'Hello' })
  const suppressed = `gone-${randomUUID().slice(0, 8)}@nowhere.example`
  await world.db
    .insertInto('suppressions')
    .values({
      ...{ organization_id: organization.id, mailbox_id: mailboxId, address: suppressed, cause: 'bounced', bounces: 2 },
      ...{ bounced_at: new Date(), suppressed_at: new Date(), status: '5.1.1', reply: null },
    })
    .execute()
  await world.db.updateTable('outbound_messages').set(failure).where('id', '=', failed.id).execute()
  const picture = await world.picture()
  await world.send({
    from: 'charles@engines.example',
    to: address,
    subject: 'Notes',
    text: 'Attached.',
    html: `<p>Attached.</p><img src="${picture}">`,
    attachments: [{ filename: 'note.txt', content: 'A note.' }],
  })
  const [thread] = (await organization.request('GET', `/v1/threads?mailbox=${address}`)).body.data
  const [conversation] = (await organization.request('GET', `/v1/conversations?mailbox=${address}`)).body.data
  const [uid] = thread.uids
  const message = await organization.request('GET', `/v1/messages/${uid}?mailbox=${address}`)
  const starred = { uids: [uid], starred: true }
  const { change_id } = (await organization.request('PATCH', `/v1/messages?mailbox=${address}`, starred)).body
  const orphan = `spare-${randomUUID().slice(0, 8)}`
  const bears = { organizationId: organization.id, mailboxId }
  await world.mailHost.update(bears, 'inbox', [uid], { addKeywords: [orphan] })
  const unused = { name: 'Unused', scopes: ['usage:read'], expiresAt: null } as const
  const { key } = await createKey(world.db, organization.id, unused, world.clock.now(), byOperator)
  const webhook = await created('/v1/webhooks', { url: 'https://receiver.example/mail' })
  // What became of its events would change while a test looks.
  await organization.request('PATCH', `/v1/webhooks/${webhook.id}`, { paused: true })
  const member = await sharedWith(organization, mailboxId)
  const folder = await created(`/v1/folders?mailbox=${address}`, { name: `Projects ${randomUUID()}` })
  const emptyFolder = await created(`/v1/folders?mailbox=${address}`, { name: `Empty ${randomUUID()}` })
  const ids = {
    folder: folder.name,
    emptyFolder: emptyFolder.name,
    trash: 'trash',
    label: label.id,
    otherLabel: (await created('/v1/labels', { name: 'Bills' })).id,
    orphan,
    mailbox: address,
    filter: filter.id,
    run: run.id,
    blocked: blocked.id,
    message: String(uid),
    change: change_id,
    thread: thread.id,
    conversation: conversation.id,
    attachment: message.body.attachments[0].id,
    domain: domain.id,
    draft: draft.id,
    draftWithFile: draftWithFile.id,
    finishedDraft: finishedDraft.id,
    approval: approval.id,
    otherApproval: otherApproval.id,
    scheduled: scheduled.id,
    failed: failed.id,
    sent: sent.id,
    suppressed,
    apiKey: key.id,
    webhook: webhook.id,
    member,
  }
  return { organization, address, ids, keyword: label.keyword, picture }
}

/** A new member who may read the mailbox. */
async function sharedWith(organization: TestOrganization, mailboxId: string): Promise<string> {
  const { id: memberId } = await organization.member('grace@people.example')
  const { id: organizationId, world } = organization
  const mailbox = { organizationId, mailboxId }
  await world.db
    .transaction()
    .execute((tx) => giveAccess(tx, { mailbox, memberId, shares: 'all', by: byOperator }, 'read'))
  return memberId
}

const failure = { state: 'failed', last_error: 'The relay refused', failed_at: new Date() } as const

function later({ clock }: World, address: string) {
  const sendAt = new Date(clock.now() + 3_600_000).toISOString()
  return { from: address, to: 'bob@nowhere.example', text: 'Hello', send_at: sendAt }
}

interface Sample {
  /** What the path names, for routes that name an item. */
  readonly item?: keyof Furnished['ids']
  readonly query?: (one: Furnished) => string
  readonly body?: (one: Furnished) => object
  /** The success. */
  readonly status?: number
}

const inMailbox = ({ address }: Furnished) => `?mailbox=${address}`
const oneFilter = { name: 'New', field: 'subject', op: 'contains', value: 'x', action: 'read' } as const

/** A request that succeeds, for every operation that the API describes. */
export const samples: Readonly<Record<string, Sample>> = {
  'GET /v1/labels': {},
  'POST /v1/labels': { body: () => ({ name: `Label ${randomUUID().slice(0, 8)}` }), status: 201 },
  'GET /v1/labels/{id}': { item: 'label' },
  'PATCH /v1/labels/{id}': { item: 'label', body: () => ({ colour: 'red' }) },
  'DELETE /v1/labels/{id}': { item: 'label' },
  'POST /v1/labels/{id}/merge': { item: 'otherLabel', body: ({ ids }) => ({ into: ids.label }) },
  'GET /v1/orphan-labels': {},
  'POST /v1/orphan-labels': {
    body: () => ({ keyword: `stray-${randomUUID().slice(0, 8)}`, name: `Label ${randomUUID().slice(0, 8)}` }),
    status: 201,
  },
  'DELETE /v1/orphan-labels/{keyword}': { item: 'orphan' },
  'GET /v1/filters': {},
  'POST /v1/filters': { body: () => oneFilter, status: 201 },
  'POST /v1/filters/test': { body: () => ({ message: { from: 'a@b.example', to: 'c@d.example', subject: 'x' } }) },
  'GET /v1/filters/{id}': { item: 'filter' },
  'PATCH /v1/filters/{id}': { item: 'filter', body: () => ({ enabled: false }) },
  'DELETE /v1/filters/{id}': { item: 'filter' },
  'POST /v1/filters/runs': { body: ({ address }) => ({ mailboxes: [address] }), status: 201 },
  'POST /v1/filters/{id}/runs': { item: 'filter', body: ({ address }) => ({ mailboxes: [address] }), status: 201 },
  'GET /v1/filter-runs': {},
  'GET /v1/filter-runs/{id}': { item: 'run' },
  'POST /v1/filter-runs/{id}/cancel': { item: 'run' },
  'GET /v1/blocked-senders': {},
  'POST /v1/blocked-senders': { body: () => ({ pattern: `${randomUUID()}@spam.example` }), status: 201 },
  'GET /v1/blocked-senders/{id}': { item: 'blocked' },
  'DELETE /v1/blocked-senders/{id}': { item: 'blocked' },
  'GET /v1/forwarding': { query: inMailbox },
  'PATCH /v1/forwarding': { body: ({ address }) => ({ mailbox: address, reply_subject: 'Away' }) },
  'POST /v1/send/batch': {
    body: ({ address }) => ({ messages: [{ from: address, to: 'bob@nowhere.example', text: 'Hello' }] }),
  },
  'POST /v1/send': {
    body: ({ address }) => ({ from: address, to: 'bob@nowhere.example', text: 'Hello' }),
    status: 202,
  },
  'GET /v1/suppressions': {},
  'DELETE /v1/suppressions/{address}': { item: 'suppressed' },
  'GET /v1/sent': {},
  'GET /v1/sent/{id}': { item: 'sent' },
  'POST /v1/messages/{uid}/reply': {
    item: 'message',
    query: inMailbox,
    body: () => ({ text: 'Hello' }),
    status: 202,
  },
  'GET /v1/drafts': { query: inMailbox },
  'POST /v1/drafts': { body: ({ address }) => ({ mailbox: address, text: 'Hello' }), status: 201 },
  'GET /v1/drafts/{id}': { item: 'draft' },
  'PATCH /v1/drafts/{id}': { item: 'draft', body: () => ({ text: 'Hello' }) },
  'DELETE /v1/drafts/{id}': { item: 'draft' },
  'POST /v1/drafts/{id}/attachments': {
    item: 'draft',
    body: () => ({ filename: 'b.txt', content: 'SGk=' }),
    status: 201,
  },
  'DELETE /v1/drafts/{id}/attachments/{index}': { item: 'draftWithFile' },
  'POST /v1/drafts/{id}/approval': { item: 'draft', body: () => ({}), status: 201 },
  'GET /v1/approvals': {},
  'GET /v1/approvals/{id}': { item: 'approval' },
  'POST /v1/approvals/{id}/approve': { item: 'approval', status: 202 },
  'POST /v1/approvals/{id}/decline': { item: 'otherApproval', body: () => ({ reason: 'Not so' }) },
  'POST /v1/drafts/{id}/send': { item: 'finishedDraft', body: () => ({}), status: 202 },
  'GET /v1/folders': { query: inMailbox },
  'POST /v1/folders': { query: inMailbox, body: () => ({ name: `Folder ${randomUUID()}` }), status: 201 },
  'GET /v1/folders/{path}': { item: 'folder', query: inMailbox },
  'PATCH /v1/folders/{path}': { item: 'folder', query: inMailbox, body: () => ({ name: `Folder ${randomUUID()}` }) },
  'DELETE /v1/folders/{path}': { item: 'emptyFolder', query: inMailbox },
  'POST /v1/folders/{path}/empty': { item: 'trash', query: inMailbox },
  'GET /v1/messages': { query: inMailbox },
  'DELETE /v1/messages': { query: inMailbox, body: () => ({ uids: [4_000_000_000] }) },
  'PATCH /v1/messages': { query: inMailbox, body: ({ ids }) => ({ uids: [Number(ids.message)], starred: true }) },
  'GET /v1/messages/{uid}': { item: 'message', query: inMailbox },
  'PATCH /v1/messages/{uid}': { item: 'message', query: inMailbox, body: ({ keyword }) => ({ add_labels: [keyword] }) },
  'GET /v1/messages/{uid}/headers': { item: 'message', query: inMailbox },
  'GET /v1/messages/{uid}/raw': { item: 'message', query: inMailbox },
  'GET /v1/messages/{uid}/attachments/{id}': { item: 'attachment', query: inMailbox },
  'GET /v1/messages/{uid}/picture': {
    item: 'message',
    query: ({ address, picture }) => `?mailbox=${address}&url=${encodeURIComponent(picture)}`,
  },
  'GET /v1/changes': {},
  'GET /v1/changes/{id}': { item: 'change' },
  'POST /v1/changes/{id}/undo': { item: 'change', status: 201 },
  'GET /v1/search': { query: ({ address }) => `?q=notes&mailbox=${address}` },
  'GET /v1/scheduled': {},
  'POST /v1/scheduled': { body: ({ organization, address }) => later(organization.world, address), status: 201 },
  'GET /v1/scheduled/{id}': { item: 'scheduled' },
  'DELETE /v1/scheduled/{id}': { item: 'scheduled' },
  'POST /v1/scheduled/{id}/retry': { item: 'failed' },
  'GET /v1/threads': { query: inMailbox },
  'GET /v1/threads/{id}': { item: 'thread', query: inMailbox },
  'GET /v1/conversations': { query: inMailbox },
  'GET /v1/conversations/{id}': { item: 'conversation', query: (one) => `${inMailbox(one)}&include=bodies` },
  'GET /v1/events': {},
  'GET /v1/webhooks': {},
  'POST /v1/webhooks': { body: () => ({ url: 'https://receiver.example/mail' }), status: 201 },
  'GET /v1/webhooks/{id}': { item: 'webhook' },
  'PATCH /v1/webhooks/{id}': { item: 'webhook', body: () => ({ name: 'Help desk' }) },
  'DELETE /v1/webhooks/{id}': { item: 'webhook' },
  'POST /v1/webhooks/{id}/rotate': { item: 'webhook' },
  'GET /v1/webhooks/{id}/deliveries': { item: 'webhook' },
  'POST /v1/webhooks/{id}/replay': { item: 'webhook', body: () => ({ after: '0'.repeat(28) }) },
  'POST /v1/webhooks/{id}/test': { item: 'webhook' },
  'GET /v1/domains': {},
  'POST /v1/domains': { body: () => ({ domain: `${randomUUID()}.test` }), status: 201 },
  'GET /v1/domains/{id}': { item: 'domain' },
  'GET /v1/domains/{id}/zone': { item: 'domain' },
  'DELETE /v1/domains/{id}': { item: 'domain' },
  'GET /v1/mailboxes': {},
  'GET /v1/mailboxes/{address}': { item: 'mailbox' },
  'POST /v1/mailboxes': {
    body: ({ organization }) => ({ domain: organization.domain, local_part: `box-${randomUUID().slice(0, 8)}` }),
    status: 201,
  },
  'GET /v1/usage': {},
  'GET /v1/members': {},
}

/** Of what a member has as the organization does. */
export const ownSamples: Readonly<Record<string, Sample>> = Object.fromEntries(
  Object.entries(samples)
    .filter(([name]) => /^\S+ \/v1\/(?:labels(?!.*\/merge)|filter|blocked-senders)/.test(name))
    .map(([name, sample]) => [name.replace('/v1/', '/v1/me/'), sample]),
)

/** The same for what is for members alone, in a session of theirs. */
export const memberSamples: Readonly<Record<string, Sample>> = {
  ...ownSamples,
  'GET /v1/me': {},
  'GET /v1/me/access': {},
  'PUT /v1/me/presence': {
    item: 'mailbox',
    body: ({ address, ids }) => ({ mailbox: address, conversation: ids.thread, doing: 'reading' }),
  },
  'GET /v1/me/signatures': {},
  'PUT /v1/me/signatures/{address}': { item: 'mailbox', body: () => ({ text: 'Ada' }) },
  'POST /v1/mailboxes/{address}/suspend': { item: 'mailbox' },
  'POST /v1/mailboxes/{address}/resume': { item: 'mailbox' },
  'DELETE /v1/mailboxes/{address}': { item: 'mailbox' },
  'GET /v1/mailboxes/{address}/access': { item: 'mailbox' },
  'PUT /v1/mailboxes/{address}/access/{member_id}': { item: 'mailbox', body: () => ({ level: 'change' }) },
  'DELETE /v1/mailboxes/{address}/access/{member_id}': { item: 'mailbox' },
  'GET /v1/session/ways': {},
  // Without a provider; src/sessions/single-sign-on/routes.test.ts has one.
  'POST /v1/session/single-sign-on': { body: () => ({}), status: 404 },
  'POST /v1/session/confirm/single-sign-on': { status: 404 },
  'POST /v1/session': { body: () => ({ link: 'x' }), status: 401 },
  'DELETE /v1/session': {},
  'POST /v1/session/confirm': { body: () => ({ password: 'another one altogether' }), status: 400 },
  'POST /v1/me/totp': {},
  'POST /v1/me/totp/confirm': { body: () => ({ code: '123456' }), status: 400 },
  'DELETE /v1/me/totp': { status: 404 },
  // Under 127.0.0.1 there are no passkeys.
  'POST /v1/session/challenge': { status: 400 },
  'POST /v1/session/confirm/challenge': { status: 400 },
  'POST /v1/me/passkeys/challenge': { status: 400 },
  'POST /v1/me/passkeys': {
    body: () => ({
      name: 'Laptop',
      credential: { id: 'AA', response: { clientDataJSON: 'AA', attestationObject: 'AA' } },
    }),
    status: 400,
  },
  'GET /v1/me/passkeys': {},
  'PATCH /v1/me/passkeys/{id}': { item: 'label', body: () => ({ name: 'Laptop' }), status: 404 },
  'DELETE /v1/me/passkeys/{id}': { item: 'label', status: 404 },
  'PUT /v1/me/password': { body: () => ({ password: 'correct horse battery staple' }) },
  'GET /v1/me/sessions': {},
  // Any id: one's own cannot be known before one signs in.
  'DELETE /v1/me/sessions/{id}': { item: 'label', status: 404 },
  'GET /v1/api-keys': {},
  'POST /v1/api-keys': { body: () => ({ name: 'Shop', scopes: ['messages:read'] }), status: 201 },
  'GET /v1/api-keys/{id}': { item: 'apiKey' },
  'DELETE /v1/api-keys/{id}': { item: 'apiKey' },
  'GET /v1/audit': {},
  'POST /v1/members': { body: () => ({ email: `${randomUUID()}@people.example` }), status: 201 },
  'GET /v1/members/{id}': { item: 'member' },
  'POST /v1/members/{id}/invitation': { item: 'member', status: 201 },
  'PATCH /v1/members/{id}': { item: 'member', body: () => ({ role: 'admin' }) },
  'DELETE /v1/members/{id}': { item: 'member' },
}

/** The operations that a key may call, of the API's own description, each with the sample that stands for it: none can be
 *  forgotten. */
export function everyOperation(world: World) {
  return operationsOf(world, { samples, rules, forKeys: true })
}

/** Those that are for members alone. */
export function memberOperations(world: World) {
  return operationsOf(world, { samples: memberSamples, rules: memberRules, forKeys: false })
}

interface Tables<R> {
  readonly samples: Readonly<Record<string, Sample>>
  readonly rules: Readonly<Record<string, R>>
  readonly forKeys: boolean
}

async function operationsOf<R>(world: World, { samples, rules, forKeys }: Tables<R>) {
  const { paths } = await world.client.description()
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      if (operation.security.some((one) => 'key' in one) !== forKeys) return []
      const name = `${method.toUpperCase()} ${path}`
      const sample = samples[name]
      const rule = rules[name]
      assert.ok(sample, `${name} has a sample in test/world/every-route.ts`)
      assert.ok(rule, `${name} has a row in test/world/rules.ts: who may do it`)
      return {
        name,
        method: method.toUpperCase(),
        path,
        operation,
        sample,
        rule,
        scopes: [operation['x-required-scope']].flat(),
        permission: operation['x-required-permission'],
      }
    }),
  )
  for (const table of [samples, rules])
    assert.deepEqual(operations.map(({ name }) => name).sort(), Object.keys(table).sort())
  return operations
}

/** So that each is asked of somebody who has everything still, without another organization for each. */
export function removingLast<T extends { readonly method: string }>(operations: readonly T[]): T[] {
  const removes = ({ method }: T) => (method === 'DELETE' ? 1 : 0)
  return operations.toSorted((a, b) => removes(a) - removes(b))
}

/** The path of a sample, about one organization's things, with another id in the place of the named item's. */
export function pathOf(path: string, { item, query }: Sample, one: Furnished, otherId?: string): string {
  const filled = path
    .replace('{uid}', item === 'message' ? (otherId ?? one.ids.message) : one.ids.message)
    .replace('{member_id}', one.ids.member)
    .replace('{index}', '0')
    .replace(/\{(?:id|address|path|keyword)\}/, encodeURIComponent(otherId ?? (item ? one.ids[item] : '')))
  return filled + (query?.(one) ?? '')
}

/** A member's own label, filter and block, which no key may see. */
export async function personalItems(world: World, organization: TestOrganization) {
  const member = await organization.member(`member-${randomUUID()}@people.example`)
  const owner = { organizationId: organization.id, memberId: member.id }
  return await world.db.transaction().execute(async (tx) => {
    const label = await addLabel(tx, owner, { name: 'Mine', colour: 'slate' }, byOperator)
    const filter = await addFilter(
      tx,
      owner,
      { ...oneFilter, argument: null, position: undefined, enabled: true },
      byOperator,
    )
    const { blocked } = await blockSender(tx, owner, 'mine@spam.example', byOperator)
    return { member, label: label.id, filter: filter.id, blocked: blocked.id }
  })
}
