import { keyActions } from '../pages/api-keys/actions.ts'
import { blockActions } from '../pages/blocked-senders/actions.ts'
import { domainActions } from '../pages/domains/actions.ts'
import { filterActions, trialActions } from '../pages/filters/actions.ts'
import { labelActions } from '../pages/labels/actions.ts'
import { mailboxActions } from '../pages/mailboxes/actions.ts'
import { memberActions } from '../pages/members/actions.ts'
import { webhookActions } from '../pages/webhooks/actions.ts'
import type { PageAction } from '../parts/actions/action.ts'

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

/** Actions of pages that the command palette offers everywhere: it opens the page, which does it. */
export const pageActions: readonly (Pick<PageAction<void>, 'name' | 'needs'> & { readonly to: string })[] = [
  ...labelActions.map((action) => ({ ...action, to: '/labels' })),
  ...[...filterActions, ...trialActions].map((action) => ({ ...action, to: '/filters' })),
  ...blockActions.map((action) => ({ ...action, to: '/blocked-senders' })),
  ...domainActions.map((action) => ({ ...action, to: '/domains' })),
  ...mailboxActions.map((action) => ({ ...action, to: '/mailboxes' })),
  ...memberActions.map((action) => ({ ...action, to: '/members' })),
  ...keyActions.map((action) => ({ ...action, to: '/api-keys' })),
  ...webhookActions.map((action) => ({ ...action, to: '/webhooks' })),
]
