/** What a role allows in a session beside scopes. No key has one: the routes that need one do not exist for keys
 *  (docs/reference/sessions.md). */
export const permissions = [
  'manage_api_keys',
  'manage_members',
  'manage_owners',
  'read_audit',
  'manage_mailboxes',
  'share_own_mailboxes',
] as const

export type Permission = (typeof permissions)[number]
