/** The pages of an organization, in the order of the navigation. A page is shown to whose role allows what it needs. */
export const pages = [
  { to: '/', title: 'Overview', needs: 'usage:read' },
  { to: '/labels', title: 'Labels', needs: 'labels:read' },
  { to: '/filters', title: 'Filters', needs: 'filters:read' },
  { to: '/blocked-senders', title: 'Blocked senders', needs: 'filters:read' },
  { to: '/scheduled', title: 'Scheduled', needs: 'scheduled:read' },
  { to: '/domains', title: 'Domains', needs: 'domains:read' },
  { to: '/mailboxes', title: 'Mailboxes', needs: 'mailboxes:read' },
  { to: '/members', title: 'Members', needs: 'members:read' },
  { to: '/api-keys', title: 'API keys', needs: 'manage_api_keys' },
  { to: '/audit', title: 'Audit trail', needs: 'read_audit' },
] as const
