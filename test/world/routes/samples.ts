import { randomUUID } from 'node:crypto'
import { type Furnished, later } from '#test/world/organization/furnished.ts'

/** A request to an operation, about what an organization has. */
export interface Sample {
  /** The item that the path names, if any. */
  readonly item?: keyof Furnished['ids']
  readonly query?: (one: Furnished) => string
  readonly body?: (one: Furnished) => object
  /** The success. */
  readonly status?: number
}

const inMailbox = ({ address }: Furnished) => `?mailbox=${address}`
/** The body of a new filter. */
export const oneFilter = { name: 'New', field: 'subject', op: 'contains', value: 'x', action: 'read' } as const

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
    body: ({ orphans }) => ({ keyword: orphans.pop() ?? '', name: `Label ${randomUUID().slice(0, 8)}` }),
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
  'POST /v1/messages/{uid}/reply': { item: 'message', query: inMailbox, body: () => ({ text: 'Hello' }), status: 202 },
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
  'PATCH /v1/scheduled/{id}': {
    item: 'scheduled',
    body: ({ organization: { world }, address }) => ({ send_at: later(world, address).send_at }),
  },
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

/** Samples of personal items. */
export const ownSamples: Readonly<Record<string, Sample>> = Object.fromEntries(
  Object.entries(samples)
    .filter(([name]) => /^\S+ \/v1\/(?:labels(?!.*\/merge)|filter|blocked-senders)/.test(name))
    .map(([name, sample]) => [name.replace('/v1/', '/v1/me/'), sample]),
)
