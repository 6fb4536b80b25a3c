import { type Identity, perMinute } from '#/http/access/authorize.ts'
import { Caller, type Level } from '#/http/access/caller.ts'
import { type Permission, permissions } from '#/http/access/permissions.ts'
import { type Scope, scopes } from '#/http/access/scopes.ts'
import type { Role } from '#/people/members/member.ts'

/** What each role may do in a session (docs/reference/sessions.md). No other place decides it. Scopes for mail cover only
 *  the member's own mailboxes and those shared with them, in every role. */
const scopesOf: Readonly<Record<Role, ReadonlySet<Scope>>> = {
  owner: new Set(scopes),
  admin: new Set(scopes),
  member: new Set([
    'labels:read',
    'messages:read',
    'messages:write',
    'sending:write',
    'sending:draft',
    'scheduled:read',
    'scheduled:write',
    'filters:read',
    'forwarding:read',
    'forwarding:write',
    'domains:read',
    'mailboxes:read',
    'usage:read',
    'members:read',
    'events:read',
  ]),
}

/** Permissions of each role, which no key has. */
const permissionsOf: Readonly<Record<Role, ReadonlySet<Permission>>> = {
  owner: new Set(permissions),
  admin: new Set(['manage_api_keys', 'manage_members', 'manage_mailboxes']),
  member: new Set(),
}

/** Roles that list and create all mailboxes. */
const managers: ReadonlySet<Role> = new Set(['owner', 'admin'])

/** The identity of a member in a session. `mailboxes` are their own and those shared with them. */
export function identityOf(
  { id, email, role, sessionId }: { id: string; email: string; role: Role; sessionId: string },
  {
    organizationId,
    mailboxes,
    suspended,
  }: { organizationId: string; mailboxes: ReadonlyMap<string, Level>; suspended: boolean },
): Identity {
  return {
    actor: { kind: 'member', id, name: email },
    caller: new Caller(
      organizationId,
      { mailboxes, recipients: null },
      { id, managesAllMailboxes: managers.has(role) },
    ),
    scopes: scopesOf[role],
    quota: perMinute.quota,
    suspended,
    member: { sessionId, role, permissions: permissionsOf[role] },
  }
}

/** In the order of the vocabulary. */
export function scopesOfRole(role: Role): Scope[] {
  return scopes.filter((scope) => scopesOf[role].has(scope))
}

/** In the order of the vocabulary. */
export function permissionsOfRole(role: Role): Permission[] {
  return permissions.filter((permission) => permissionsOf[role].has(permission))
}
