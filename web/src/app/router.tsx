import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ApiKeys } from '../pages/api-keys/api-keys.tsx'
import { Approvals } from '../pages/approvals/approvals.tsx'
import { AuditTrail } from '../pages/audit/audit-trail.tsx'
import { BlockedSenders } from '../pages/blocked-senders/blocked-senders.tsx'
import { Changes } from '../pages/changes/changes.tsx'
import { Domains } from '../pages/domains/domains.tsx'
import { filtersSearch } from '../pages/filters/address.ts'
import { Filters } from '../pages/filters/filters.tsx'
import { Labels } from '../pages/labels/labels.tsx'
import { FirstMailbox } from '../pages/mail/first-mailbox.tsx'
import { MailboxPage } from '../pages/mailbox/mailbox-page.tsx'
import { Mailboxes } from '../pages/mailboxes/mailboxes.tsx'
import { Members } from '../pages/members/members.tsx'
import { NotFound } from '../pages/not-found.tsx'
import { Overview } from '../pages/overview/overview.tsx'
import { Profile } from '../pages/profile/profile.tsx'
import { Scheduled } from '../pages/scheduled/scheduled.tsx'
import { Confirm } from '../pages/sign-in/confirm.tsx'
import { SignIn } from '../pages/sign-in/sign-in.tsx'
import { WebhookPage } from '../pages/webhooks/webhook-page.tsx'
import { Webhooks } from '../pages/webhooks/webhooks.tsx'
import { SignedIn } from '../session/signed-in.tsx'
import { FailedPage } from './failed-page.tsx'

const root = createRootRoute({ notFoundComponent: NotFound })
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: SignIn,
  // Where to go then: a path of this app alone. Or what failed at the provider of single sign-on.
  validateSearch: ({ to, failed }): { to?: string; failed?: string } => ({
    ...(typeof to === 'string' && /^\/(?!\/)/.test(to) && { to }),
    ...(typeof failed === 'string' && { failed }),
  }),
})
const confirm = createRoute({
  getParentRoute: () => root,
  path: '/confirm',
  component: Confirm,
  validateSearch: ({ done, failed }): { done?: true; failed?: string } => ({
    ...(done !== undefined && { done: true }),
    ...(typeof failed === 'string' && { failed }),
  }),
})
const signedIn = createRoute({ getParentRoute: () => root, id: 'signed-in', component: SignedIn })
const page = <Path extends string>(path: Path, component: () => ReactNode) =>
  createRoute({ getParentRoute: () => signedIn, path, component })

const filters = createRoute({
  getParentRoute: () => signedIn,
  path: '/filters',
  component: Filters,
  validateSearch: filtersSearch,
})
const mail = createRoute({
  getParentRoute: () => signedIn,
  path: '/mail/$mailbox/$folder',
  component: lazyRouteComponent(() => import('../pages/mail/mail.tsx'), 'Mail'),
})
const conversation = createRoute({
  getParentRoute: () => mail,
  path: '/$thread',
  component: lazyRouteComponent(() => import('../pages/mail/conversation.tsx'), 'Conversation'),
})

const search = createRoute({
  getParentRoute: () => signedIn,
  path: '/search',
  component: lazyRouteComponent(() => import('../pages/search/search.tsx'), 'Search'),
  validateSearch: ({ q }): { q?: string } => (typeof q === 'string' && q !== '' ? { q } : {}),
})

export const router = createRouter({
  defaultErrorComponent: FailedPage,
  routeTree: root.addChildren([
    signIn,
    confirm,
    signedIn.addChildren([
      page('/', Overview),
      page('/mail', FirstMailbox),
      mail.addChildren([conversation]),
      search,
      page('/labels', Labels),
      filters,
      page('/scheduled', Scheduled),
      page('/approvals', Approvals),
      page('/changes', Changes),
      page('/blocked-senders', BlockedSenders),
      page('/domains', Domains),
      page('/mailboxes', Mailboxes),
      page('/mailboxes/$address', MailboxPage),
      page('/members', Members),
      page('/api-keys', ApiKeys),
      page('/webhooks', Webhooks),
      page('/webhooks/$id', WebhookPage),
      page('/audit', AuditTrail),
      page('/profile', Profile),
    ]),
  ]),
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
