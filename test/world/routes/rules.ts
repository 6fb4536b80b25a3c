import type { Level } from '#/http/access/caller.ts'
import type { Permission } from '#/http/access/permissions.ts'
import type { Scope } from '#/http/access/scopes.ts'

/** The subject of a route, which decides what a role, a level and a restricted key may do there. */
export type About =
  /** The organization, and no mailbox. */
  | 'organization'
  /** The mail of a mailbox that the request names, or something of it. */
  | 'mail'
  /** The mail of all mailboxes that the caller reads. */
  | 'own mail'
  /** The mailboxes that there are. */
  | 'mailboxes'
  | 'mailbox'
  | 'new mailbox'
  /** A webhook that an unrestricted key has made. */
  | 'webhook'

/** Who may do what. */
export interface Rule {
  /** One of them opens it. */
  readonly scope: Scope | readonly Scope[]
  readonly about: About
  /** The level that it needs in a shared mailbox; undefined if it uses no mail. */
  readonly level?: Level
  /** The sample goes to an address. */
  readonly sends?: true
}

/** The decision on every route that a key may call, as docs/reference has it: keys.md of scopes and restrictions, sessions.md of roles,
 *  mailboxes.md of levels. */
export const rules: Readonly<Record<string, Rule>> = {
  'GET /v1/labels': { scope: 'labels:read', about: 'organization' },
  'POST /v1/labels': { scope: 'labels:write', about: 'organization' },
  'GET /v1/labels/{id}': { scope: 'labels:read', about: 'organization' },
  'PATCH /v1/labels/{id}': { scope: 'labels:write', about: 'organization' },
  'DELETE /v1/labels/{id}': { scope: 'labels:write', about: 'organization' },
  'GET /v1/orphan-labels': { scope: 'labels:read', about: 'organization' },
  'POST /v1/orphan-labels': { scope: 'labels:write', about: 'organization' },
  'DELETE /v1/orphan-labels/{keyword}': { scope: 'labels:write', about: 'organization' },
  'POST /v1/labels/{id}/merge': { scope: 'labels:write', about: 'organization' },
  'GET /v1/filters': { scope: 'filters:read', about: 'organization' },
  'POST /v1/filters': { scope: 'filters:write', about: 'organization' },
  'GET /v1/filters/{id}': { scope: 'filters:read', about: 'organization' },
  'PATCH /v1/filters/{id}': { scope: 'filters:write', about: 'organization' },
  'DELETE /v1/filters/{id}': { scope: 'filters:write', about: 'organization' },
  'POST /v1/filters/test': { scope: 'filters:read', about: 'organization' },
  'POST /v1/filters/runs': { scope: 'messages:write', about: 'mail', level: 'change' },
  'POST /v1/filters/{id}/runs': { scope: 'messages:write', about: 'mail', level: 'change' },
  'GET /v1/filter-runs': { scope: 'messages:read', about: 'own mail', level: 'read' },
  'GET /v1/filter-runs/{id}': { scope: 'messages:read', about: 'mail', level: 'read' },
  'POST /v1/filter-runs/{id}/cancel': { scope: 'messages:write', about: 'mail', level: 'change' },
  'GET /v1/blocked-senders': { scope: 'filters:read', about: 'organization' },
  'POST /v1/blocked-senders': { scope: 'filters:write', about: 'organization' },
  'GET /v1/blocked-senders/{id}': { scope: 'filters:read', about: 'organization' },
  'DELETE /v1/blocked-senders/{id}': { scope: 'filters:write', about: 'organization' },
  'GET /v1/forwarding': { scope: 'forwarding:read', about: 'mail', level: 'read' },
  'PATCH /v1/forwarding': { scope: 'forwarding:write', about: 'mail', level: 'send' },
  'POST /v1/send': { scope: 'sending:write', about: 'mail', level: 'send', sends: true },
  // Each message has an answer of its own (test/journeys/sending/batch.test.ts).
  'POST /v1/send/batch': { scope: 'sending:write', about: 'organization' },
  'GET /v1/sent': { scope: 'messages:read', about: 'own mail', level: 'read' },
  'GET /v1/sent/{id}': { scope: 'messages:read', about: 'mail', level: 'read' },
  'POST /v1/messages/{uid}/reply': { scope: 'sending:write', about: 'mail', level: 'send', sends: true },
  'GET /v1/suppressions': { scope: 'messages:read', about: 'own mail', level: 'read' },
  'DELETE /v1/suppressions/{address}': { scope: 'sending:write', about: 'mail', level: 'send' },
  'GET /v1/drafts': { scope: ['sending:draft', 'sending:write', 'sending:approve'], about: 'mail', level: 'read' },
  'POST /v1/drafts': { scope: ['sending:draft', 'sending:write'], about: 'mail', level: 'send' },
  'GET /v1/drafts/{id}': { scope: ['sending:draft', 'sending:write', 'sending:approve'], about: 'mail', level: 'read' },
  'PATCH /v1/drafts/{id}': { scope: ['sending:draft', 'sending:write'], about: 'mail', level: 'send' },
  'DELETE /v1/drafts/{id}': { scope: ['sending:draft', 'sending:write'], about: 'mail', level: 'send' },
  'POST /v1/drafts/{id}/attachments': { scope: ['sending:draft', 'sending:write'], about: 'mail', level: 'send' },
  'DELETE /v1/drafts/{id}/attachments/{index}': {
    scope: ['sending:draft', 'sending:write'],
    about: 'mail',
    level: 'send',
  },
  'POST /v1/drafts/{id}/approval': { scope: ['sending:draft', 'sending:write'], about: 'mail', level: 'send' },
  'GET /v1/approvals': {
    scope: ['sending:draft', 'sending:write', 'sending:approve'],
    about: 'own mail',
    level: 'read',
  },
  'GET /v1/approvals/{id}': {
    scope: ['sending:draft', 'sending:write', 'sending:approve'],
    about: 'mail',
    level: 'read',
  },
  'POST /v1/approvals/{id}/approve': { scope: 'sending:approve', about: 'mail', level: 'send', sends: true },
  'POST /v1/approvals/{id}/decline': { scope: 'sending:approve', about: 'mail', level: 'send' },
  'POST /v1/drafts/{id}/send': { scope: 'sending:write', about: 'mail', level: 'send', sends: true },
  'GET /v1/scheduled': { scope: 'scheduled:read', about: 'own mail', level: 'read' },
  'POST /v1/scheduled': { scope: 'scheduled:write', about: 'mail', level: 'send', sends: true },
  'GET /v1/scheduled/{id}': { scope: 'scheduled:read', about: 'mail', level: 'read' },
  'PATCH /v1/scheduled/{id}': { scope: 'scheduled:write', about: 'mail', level: 'send' },
  'DELETE /v1/scheduled/{id}': { scope: 'scheduled:write', about: 'mail', level: 'send' },
  'POST /v1/scheduled/{id}/retry': { scope: 'scheduled:write', about: 'mail', level: 'send', sends: true },
  'GET /v1/folders': { scope: 'messages:read', about: 'mail', level: 'read' },
  'POST /v1/folders': { scope: 'messages:write', about: 'mail', level: 'change' },
  'GET /v1/folders/{path}': { scope: 'messages:read', about: 'mail', level: 'read' },
  'PATCH /v1/folders/{path}': { scope: 'messages:write', about: 'mail', level: 'change' },
  'DELETE /v1/folders/{path}': { scope: 'messages:write', about: 'mail', level: 'change' },
  'POST /v1/folders/{path}/empty': { scope: 'messages:write', about: 'mail', level: 'change' },
  'GET /v1/messages': { scope: 'messages:read', about: 'mail', level: 'read' },
  'DELETE /v1/messages': { scope: 'messages:write', about: 'mail', level: 'change' },
  'PATCH /v1/messages': { scope: 'messages:write', about: 'mail', level: 'change' },
  'GET /v1/changes': { scope: 'messages:read', about: 'own mail', level: 'read' },
  'GET /v1/changes/{id}': { scope: 'messages:read', about: 'mail', level: 'read' },
  'POST /v1/changes/{id}/undo': { scope: 'messages:write', about: 'mail', level: 'change' },
  'GET /v1/messages/{uid}': { scope: 'messages:read', about: 'mail', level: 'read' },
  'PATCH /v1/messages/{uid}': { scope: 'messages:write', about: 'mail', level: 'change' },
  'GET /v1/messages/{uid}/headers': { scope: 'messages:read', about: 'mail', level: 'read' },
  'GET /v1/messages/{uid}/raw': { scope: 'messages:read', about: 'mail', level: 'read' },
  'GET /v1/messages/{uid}/picture': { scope: 'messages:read', about: 'mail', level: 'read' },
  'GET /v1/messages/{uid}/attachments/{id}': { scope: 'messages:read', about: 'mail', level: 'read' },
  'GET /v1/search': { scope: 'messages:read', about: 'mail', level: 'read' },
  'GET /v1/threads': { scope: 'messages:read', about: 'mail', level: 'read' },
  'GET /v1/threads/{id}': { scope: 'messages:read', about: 'mail', level: 'read' },
  'GET /v1/conversations': { scope: 'messages:read', about: 'mail', level: 'read' },
  'GET /v1/conversations/{id}': { scope: 'messages:read', about: 'mail', level: 'read' },
  'GET /v1/events': { scope: 'events:read', about: 'mailboxes', level: 'read' },
  'GET /v1/webhooks': { scope: 'webhooks:read', about: 'organization' },
  'POST /v1/webhooks': { scope: 'webhooks:write', about: 'organization' },
  'GET /v1/webhooks/{id}': { scope: 'webhooks:read', about: 'webhook' },
  'PATCH /v1/webhooks/{id}': { scope: 'webhooks:write', about: 'webhook' },
  'DELETE /v1/webhooks/{id}': { scope: 'webhooks:write', about: 'webhook' },
  'POST /v1/webhooks/{id}/rotate': { scope: 'webhooks:write', about: 'webhook' },
  'GET /v1/webhooks/{id}/deliveries': { scope: 'webhooks:read', about: 'webhook' },
  'POST /v1/webhooks/{id}/replay': { scope: 'webhooks:write', about: 'webhook' },
  'POST /v1/webhooks/{id}/test': { scope: 'webhooks:write', about: 'webhook' },
  'GET /v1/domains': { scope: 'domains:read', about: 'organization' },
  'POST /v1/domains': { scope: 'domains:write', about: 'organization' },
  'GET /v1/domains/{id}': { scope: 'domains:read', about: 'organization' },
  'DELETE /v1/domains/{id}': { scope: 'domains:write', about: 'organization' },
  'GET /v1/domains/{id}/zone': { scope: 'domains:read', about: 'organization' },
  'GET /v1/mailboxes': { scope: ['mailboxes:read', 'messages:read'], about: 'mailboxes' },
  'POST /v1/mailboxes': { scope: 'mailboxes:write', about: 'new mailbox' },
  'GET /v1/mailboxes/{address}': { scope: ['mailboxes:read', 'messages:read'], about: 'mailbox', level: 'read' },
  'GET /v1/usage': { scope: 'usage:read', about: 'organization' },
  'GET /v1/members': { scope: 'members:read', about: 'organization' },
}

/** The same of a route that is for members alone. To a key it does not exist. */
export interface MemberRule {
  /** What a role needs. */
  readonly permission?: Permission
  /** Only in the ten minutes after a member has confirmed who they are. */
  readonly confirmed?: true
  /** Without a session too. */
  readonly signsIn?: true
  /** Else it is about the organization, or about the member. */
  readonly about?: 'mailbox' | 'mail'
  /** The level that it needs in a shared mailbox; by default `read`. */
  readonly level?: Level
}

const memberRoutes: Readonly<Record<string, MemberRule>> = {
  'DELETE /v1/mailboxes/{address}': { permission: 'manage_mailboxes', confirmed: true },
  'POST /v1/mailboxes/{address}/suspend': { permission: 'manage_mailboxes' },
  'POST /v1/mailboxes/{address}/resume': { permission: 'manage_mailboxes' },
  'GET /v1/mailboxes/{address}/access': { about: 'mailbox' },
  'PUT /v1/mailboxes/{address}/access/{member_id}': { permission: 'manage_mailboxes', confirmed: true },
  'DELETE /v1/mailboxes/{address}/access/{member_id}': { permission: 'manage_mailboxes', confirmed: true },
  'GET /v1/me/access': {},
  'PUT /v1/me/presence': { about: 'mail' },
  'GET /v1/me/signatures': {},
  'PUT /v1/me/signatures/{address}': { about: 'mail', level: 'send' },
  'POST /v1/members': { permission: 'manage_members', confirmed: true },
  'GET /v1/members/{id}': {},
  'PATCH /v1/members/{id}': { permission: 'manage_members', confirmed: true },
  'DELETE /v1/members/{id}': { permission: 'manage_members', confirmed: true },
  'POST /v1/members/{id}/invitation': { permission: 'manage_members', confirmed: true },
  'GET /v1/session/ways': { signsIn: true },
  'POST /v1/session': { signsIn: true },
  'POST /v1/session/link': { signsIn: true },
  'DELETE /v1/session': {},
  'GET /v1/me/sessions': {},
  'DELETE /v1/me/sessions/{id}': {},
  'PUT /v1/me/password': { confirmed: true },
  'POST /v1/session/confirm': {},
  'POST /v1/me/totp': { confirmed: true },
  'DELETE /v1/me/totp': { confirmed: true },
  'POST /v1/me/totp/confirm': { confirmed: true },
  'POST /v1/me/passkeys/challenge': { confirmed: true },
  'POST /v1/me/passkeys': { confirmed: true },
  'GET /v1/me/passkeys': {},
  'PATCH /v1/me/passkeys/{id}': {},
  'DELETE /v1/me/passkeys/{id}': { confirmed: true },
  'POST /v1/session/challenge': { signsIn: true },
  'POST /v1/session/confirm/challenge': {},
  'POST /v1/session/single-sign-on': { signsIn: true },
  'POST /v1/session/confirm/single-sign-on': {},
  'GET /v1/me': {},
  'GET /v1/api-keys': { permission: 'manage_api_keys' },
  'POST /v1/api-keys': { permission: 'manage_api_keys', confirmed: true },
  'GET /v1/api-keys/{id}': { permission: 'manage_api_keys' },
  'DELETE /v1/api-keys/{id}': { permission: 'manage_api_keys', confirmed: true },
  'GET /v1/audit': { permission: 'read_audit' },
}

/** Personal items need a session only. */
const addPersonalItems = Object.keys(rules)
  .filter((name) => /^\S+ \/v1\/(?:labels(?!.*\/merge)|filter|blocked-senders)/.test(name))
  .map((name) => [name.replace('/v1/', '/v1/me/'), {}] as const)

export const memberRules: Readonly<Record<string, MemberRule>> = {
  ...Object.fromEntries(addPersonalItems),
  ...memberRoutes,
}

/** The scopes of a role (docs/reference/sessions.md). */
export function memberMay(scope: string): boolean {
  if (scope === 'sending:approve' || scope === 'webhooks:read') return false
  return /^(?:messages|sending|scheduled|forwarding):/.test(scope) || scope.endsWith(':read')
}
