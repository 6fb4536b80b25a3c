import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { filtersSearch } from '../pages/filters/address.ts'
import { FirstMailbox } from '../pages/mail/first-mailbox.tsx'
import { NotFound } from '../pages/not-found.tsx'
import { loading } from '../parts/state/loading-parts.ts'
import { SignedIn } from '../session/signed-in.tsx'
import { FailedPage } from './failed-page.tsx'
import { ownPath, strictSearch } from './own-path.ts'

const root = createRootRoute()
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: lazyRouteComponent(() => loading(() => import('../pages/sign-in/sign-in.tsx')), 'SignIn'),
  // Where to go then, a path of this app only; or what failed at the provider of single sign-on.
  validateSearch: strictSearch(({ to: given, failed }): { to?: string; failed?: string } => {
    const to = ownPath(given)
    return { ...(to !== undefined && { to }), ...(typeof failed === 'string' && { failed }) }
  }),
})
const confirm = createRoute({
  getParentRoute: () => root,
  path: '/confirm',
  component: lazyRouteComponent(() => loading(() => import('../pages/sign-in/confirm.tsx')), 'Confirm'),
  validateSearch: strictSearch(({ done, failed }): { done?: true; failed?: string } => ({
    ...(done !== undefined && { done: true }),
    ...(typeof failed === 'string' && { failed }),
  })),
})
const signedIn = createRoute({ getParentRoute: () => root, id: 'signed-in', component: SignedIn })
/** A page that is loaded when it is first opened. */
const page = <Path extends string, Name extends string>(
  path: Path,
  load: () => Promise<Record<Name, () => ReactNode>>,
  name: Name,
) => createRoute({ getParentRoute: () => signedIn, path, component: lazyRouteComponent(() => loading(load), name) })

// Within the navigation, for members in a session.
const notFound = createRoute({ getParentRoute: () => signedIn, path: '$', component: NotFound })
const firstMailbox = createRoute({ getParentRoute: () => signedIn, path: '/mail', component: FirstMailbox })
const filters = createRoute({
  getParentRoute: () => signedIn,
  path: '/filters',
  component: lazyRouteComponent(() => loading(() => import('../pages/filters/filters.tsx')), 'Filters'),
  validateSearch: strictSearch(filtersSearch),
})
const blockedSenders = createRoute({
  getParentRoute: () => signedIn,
  path: '/blocked-senders',
  component: lazyRouteComponent(
    () => loading(() => import('../pages/blocked-senders/blocked-senders.tsx')),
    'BlockedSenders',
  ),
  // The sender of a message, who is to be blocked; for oneself if `own`.
  validateSearch: strictSearch(({ sender, own }): { sender?: string; own?: true } => ({
    ...(typeof sender === 'string' && { sender }),
    ...(own === true && { own }),
  })),
})
const mail = createRoute({
  getParentRoute: () => signedIn,
  path: '/mail/$mailbox/$folder',
  component: lazyRouteComponent(() => loading(() => import('../pages/mail/mail.tsx')), 'Mail'),
})
const conversation = createRoute({
  getParentRoute: () => mail,
  path: '/$message',
  component: lazyRouteComponent(() => loading(() => import('../pages/mail/conversation.tsx')), 'Conversation'),
})

const search = createRoute({
  getParentRoute: () => signedIn,
  path: '/search',
  component: lazyRouteComponent(() => loading(() => import('../pages/search/search.tsx')), 'Search'),
  validateSearch: strictSearch(({ q }): { q?: string } => (typeof q === 'string' && q !== '' ? { q } : {})),
})

export const router = createRouter({
  defaultErrorComponent: FailedPage,
  // A page is loaded when its link is hovered or focused.
  defaultPreload: 'intent',
  routeTree: root.addChildren([
    signIn,
    confirm,
    signedIn.addChildren([
      page('/', () => import('../pages/overview/overview.tsx'), 'Overview'),
      firstMailbox,
      mail.addChildren([conversation]),
      search,
      page('/labels', () => import('../pages/labels/labels.tsx'), 'Labels'),
      filters,
      page('/scheduled', () => import('../pages/scheduled/scheduled.tsx'), 'Scheduled'),
      page('/approvals', () => import('../pages/approvals/approvals.tsx'), 'Approvals'),
      page('/suppressed', () => import('../pages/suppressed/suppressed.tsx'), 'Suppressed'),
      page('/changes', () => import('../pages/changes/changes.tsx'), 'Changes'),
      blockedSenders,
      page('/domains', () => import('../pages/domains/domains.tsx'), 'Domains'),
      page('/mailboxes', () => import('../pages/mailboxes/mailboxes.tsx'), 'Mailboxes'),
      page('/mailboxes/$address', () => import('../pages/mailbox/mailbox-page.tsx'), 'MailboxPage'),
      page('/members', () => import('../pages/members/members.tsx'), 'Members'),
      page('/api-keys', () => import('../pages/api-keys/api-keys.tsx'), 'ApiKeys'),
      page('/webhooks', () => import('../pages/webhooks/webhooks.tsx'), 'Webhooks'),
      page('/webhooks/$id', () => import('../pages/webhooks/webhook-page.tsx'), 'WebhookPage'),
      page('/audit', () => import('../pages/audit/audit-trail.tsx'), 'AuditTrail'),
      page('/profile', () => import('../pages/profile/profile.tsx'), 'Profile'),
      notFound,
    ]),
  ]),
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
