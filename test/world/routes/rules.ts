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

/** `GET labels labels/{id}; POST labels`: the routes that have a rule, without `/v1/`. */
export function routes<R>(rule: R, written: string): Readonly<Record<string, R>> {
  const names = written.split('; ').flatMap((ofMethod) => {
    const [method, ...paths] = ofMethod.split(' ')
    return paths.map((path) => `${method} /v1/${path}`)
  })
  return Object.fromEntries(names.map((name) => [name, rule]))
}

/** The decision on every route that a key may call, as docs/reference has it: keys.md of scopes and restrictions, sessions.md of roles,
 *  mailboxes.md of levels. */
export const rules: Readonly<Record<string, Rule>> = {
  ...routes({ scope: 'labels:read', about: 'organization' }, 'GET labels labels/{id} orphan-labels'),
  ...routes(
    { scope: 'labels:write', about: 'organization' },
    'POST labels orphan-labels labels/{id}/merge; PATCH labels/{id}; DELETE labels/{id} orphan-labels/{keyword}',
  ),
  ...routes(
    { scope: 'filters:read', about: 'organization' },
    'GET filters filters/{id} blocked-senders blocked-senders/{id}; POST filters/test',
  ),
  ...routes(
    { scope: 'filters:write', about: 'organization' },
    'POST filters blocked-senders; PATCH filters/{id}; DELETE filters/{id} blocked-senders/{id}',
  ),
  ...routes(
    { scope: 'messages:write', about: 'mail', level: 'change' },
    'POST filters/runs filters/{id}/runs filter-runs/{id}/cancel folders folders/{path}/empty changes/{id}/undo; ' +
      'PATCH folders/{path} messages messages/{uid}; DELETE folders/{path} messages',
  ),
  ...routes({ scope: 'messages:read', about: 'own mail', level: 'read' }, 'GET filter-runs sent suppressions changes'),
  ...routes(
    { scope: 'messages:read', about: 'mail', level: 'read' },
    'GET filter-runs/{id} sent/{id} folders folders/{path} messages changes/{id} messages/{uid} ' +
      'messages/{uid}/headers messages/{uid}/raw messages/{uid}/picture messages/{uid}/attachments/{id} search ' +
      'threads threads/{id} conversations conversations/{id}',
  ),
  ...routes({ scope: 'forwarding:read', about: 'mail', level: 'read' }, 'GET forwarding'),
  ...routes({ scope: 'forwarding:write', about: 'mail', level: 'send' }, 'PATCH forwarding'),
  ...routes(
    { scope: 'sending:write', about: 'mail', level: 'send', sends: true },
    'POST send messages/{uid}/reply drafts/{id}/send',
  ),
  // Each message has an answer of its own (test/out/batch.test.ts).
  ...routes({ scope: 'sending:write', about: 'organization' }, 'POST send/batch'),
  ...routes({ scope: 'sending:write', about: 'mail', level: 'send' }, 'DELETE suppressions/{address}'),
  ...routes(
    { scope: ['sending:draft', 'sending:write', 'sending:approve'], about: 'mail', level: 'read' },
    'GET drafts drafts/{id} approvals/{id}',
  ),
  ...routes(
    { scope: ['sending:draft', 'sending:write'], about: 'mail', level: 'send' },
    'POST drafts drafts/{id}/attachments drafts/{id}/approval; PATCH drafts/{id}; DELETE drafts/{id} ' +
      'drafts/{id}/attachments/{index}',
  ),
  ...routes(
    { scope: ['sending:draft', 'sending:write', 'sending:approve'], about: 'own mail', level: 'read' },
    'GET approvals',
  ),
  ...routes({ scope: 'sending:approve', about: 'mail', level: 'send', sends: true }, 'POST approvals/{id}/approve'),
  ...routes({ scope: 'sending:approve', about: 'mail', level: 'send' }, 'POST approvals/{id}/decline'),
  ...routes({ scope: 'scheduled:read', about: 'own mail', level: 'read' }, 'GET scheduled'),
  ...routes(
    { scope: 'scheduled:write', about: 'mail', level: 'send', sends: true },
    'POST scheduled scheduled/{id}/retry',
  ),
  ...routes({ scope: 'scheduled:read', about: 'mail', level: 'read' }, 'GET scheduled/{id}'),
  ...routes({ scope: 'scheduled:write', about: 'mail', level: 'send' }, 'PATCH scheduled/{id}; DELETE scheduled/{id}'),
  ...routes({ scope: 'events:read', about: 'mailboxes', level: 'read' }, 'GET events'),
  ...routes({ scope: 'webhooks:read', about: 'organization' }, 'GET webhooks'),
  ...routes({ scope: 'webhooks:write', about: 'organization' }, 'POST webhooks'),
  ...routes({ scope: 'webhooks:read', about: 'webhook' }, 'GET webhooks/{id} webhooks/{id}/deliveries'),
  ...routes(
    { scope: 'webhooks:write', about: 'webhook' },
    'PATCH webhooks/{id}; DELETE webhooks/{id}; POST webhooks/{id}/rotate webhooks/{id}/replay webhooks/{id}/test',
  ),
  ...routes({ scope: 'domains:read', about: 'organization' }, 'GET domains domains/{id} domains/{id}/zone'),
  ...routes({ scope: 'domains:write', about: 'organization' }, 'POST domains; DELETE domains/{id}'),
  ...routes({ scope: ['mailboxes:read', 'messages:read'], about: 'mailboxes' }, 'GET mailboxes'),
  ...routes({ scope: 'mailboxes:write', about: 'new mailbox' }, 'POST mailboxes'),
  ...routes({ scope: ['mailboxes:read', 'messages:read'], about: 'mailbox', level: 'read' }, 'GET mailboxes/{address}'),
  ...routes({ scope: 'usage:read', about: 'organization' }, 'GET usage'),
  ...routes({ scope: 'members:read', about: 'organization' }, 'GET members'),
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
  ...routes(
    { permission: 'manage_mailboxes', confirmed: true },
    'DELETE mailboxes/{address} mailboxes/{address}/access/{member_id}; PUT mailboxes/{address}/access/{member_id}',
  ),
  ...routes({ permission: 'manage_mailboxes' }, 'POST mailboxes/{address}/suspend mailboxes/{address}/resume'),
  ...routes({ about: 'mailbox' }, 'GET mailboxes/{address}/access'),
  ...routes(
    {},
    'GET me/access me/signatures members/{id} me/sessions me/passkeys me; DELETE session me/sessions/{id}; POST ' +
      'session/confirm session/confirm/challenge session/confirm/single-sign-on; PATCH me/passkeys/{id}',
  ),
  ...routes({ about: 'mail' }, 'PUT me/presence'),
  ...routes({ about: 'mail', level: 'send' }, 'PUT me/signatures/{address}'),
  ...routes(
    { permission: 'manage_members', confirmed: true },
    'POST members members/{id}/invitation; PATCH members/{id}; DELETE members/{id}',
  ),
  ...routes({ signsIn: true }, 'GET session/ways; POST session session/link session/challenge session/single-sign-on'),
  ...routes(
    { confirmed: true },
    'PUT me/password; POST me/totp me/totp/confirm me/passkeys/challenge me/passkeys; DELETE me/totp ' +
      'me/passkeys/{id}',
  ),
  ...routes({ permission: 'manage_api_keys' }, 'GET api-keys api-keys/{id}'),
  ...routes({ permission: 'manage_api_keys', confirmed: true }, 'POST api-keys; DELETE api-keys/{id}'),
  ...routes({ permission: 'read_audit' }, 'GET audit'),
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
