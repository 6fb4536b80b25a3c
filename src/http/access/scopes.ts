/** What a key may do. `:write` does not imply `:read` (docs/reference/keys.md). */
export const scopes = [
  'labels:read',
  'labels:write',
  'messages:read',
  'messages:write',
  'sending:write',
  'sending:draft',
  'sending:approve',
  'scheduled:read',
  'scheduled:write',
  'filters:read',
  'filters:write',
  'forwarding:read',
  'forwarding:write',
  'domains:read',
  'domains:write',
  'mailboxes:read',
  'mailboxes:write',
  'usage:read',
  'members:read',
  'events:read',
  'webhooks:read',
  'webhooks:write',
] as const

export type Scope = (typeof scopes)[number]

export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text)
}
