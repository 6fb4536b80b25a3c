/** The pages of an organization, in the order of the navigation. A page is shown to roles that may use it. */
export const pages = [
  { to: '/', title: 'Overview', icon: 'overview', needs: 'usage:read' },
  { to: '/labels', title: 'Labels', icon: 'label', needs: 'labels:read' },
  { to: '/filters', title: 'Filters', icon: 'filter', needs: 'filters:read' },
  { to: '/blocked-senders', title: 'Blocked senders', icon: 'block', needs: 'filters:read' },
  { to: '/scheduled', title: 'Scheduled', icon: 'scheduled', needs: 'scheduled:read' },
  { to: '/approvals', title: 'Approvals', icon: 'approve', needs: 'sending:draft' },
  { to: '/suppressed', title: 'Suppressed addresses', icon: 'suppressed', needs: 'messages:read' },
  { to: '/changes', title: 'Recent changes', icon: 'undo', needs: 'messages:read' },
  { to: '/domains', title: 'Domains', icon: 'domain', needs: 'domains:read' },
  { to: '/mailboxes', title: 'Mailboxes', icon: 'unread', needs: 'mailboxes:read' },
  { to: '/members', title: 'Members', icon: 'members', needs: 'members:read' },
  { to: '/api-keys', title: 'API keys', icon: 'key', needs: 'manage_api_keys' },
  { to: '/webhooks', title: 'Webhooks', icon: 'webhook', needs: 'webhooks:read' },
  { to: '/audit', title: 'Audit trail', icon: 'audit', needs: 'read_audit' },
] as const

/** Actions of pages that the command palette offers everywhere. The page registers them by this name (`useCommands`). */
export const pageActions = [
  { to: '/labels', name: 'New label', needs: 'labels:write' },
  { to: '/labels', name: 'New own label', needs: 'labels:read' },
  { to: '/filters', name: 'New filter', needs: 'filters:write' },
  { to: '/filters', name: 'New own filter', needs: 'filters:read' },
  { to: '/filters', name: 'Try filters on a message', needs: 'filters:read' },
  { to: '/blocked-senders', name: 'Block senders', needs: 'filters:write' },
  { to: '/blocked-senders', name: 'Block for yourself', needs: 'filters:read' },
  { to: '/domains', name: 'Add a domain', needs: 'domains:write' },
  { to: '/mailboxes', name: 'New mailbox', needs: 'mailboxes:write' },
  { to: '/members', name: 'Add a member', needs: 'manage_members' },
  { to: '/api-keys', name: 'New API key', needs: 'manage_api_keys' },
  { to: '/webhooks', name: 'New webhook', needs: 'webhooks:write' },
] as const
