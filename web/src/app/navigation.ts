/** The pages of an organization, in the order of the navigation. A page is shown to whom its scope is given. */
export const pages = [
  { to: '/', title: 'Overview', scope: 'usage:read' },
  { to: '/labels', title: 'Labels', scope: 'labels:read' },
  { to: '/filters', title: 'Filters', scope: 'filters:read' },
  { to: '/blocked-senders', title: 'Blocked senders', scope: 'filters:read' },
  { to: '/scheduled', title: 'Scheduled', scope: 'scheduled:read' },
  { to: '/domains', title: 'Domains', scope: 'domains:read' },
  { to: '/mailboxes', title: 'Mailboxes', scope: 'mailboxes:read' },
  { to: '/members', title: 'Members', scope: 'members:read' },
] as const
