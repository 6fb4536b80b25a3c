import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { BlockedSenders } from '../pages/blocked-senders/blocked-senders.tsx'
import { Domains } from '../pages/domains/domains.tsx'
import { Filters } from '../pages/filters/filters.tsx'
import { Labels } from '../pages/labels/labels.tsx'
import { Mailboxes } from '../pages/mailboxes/mailboxes.tsx'
import { Members } from '../pages/members/members.tsx'
import { NotFound } from '../pages/not-found.tsx'
import { Overview } from '../pages/overview/overview.tsx'
import { Scheduled } from '../pages/scheduled/scheduled.tsx'
import { SignIn } from '../pages/sign-in/sign-in.tsx'
import { SignedIn } from '../session/signed-in.tsx'

const root = createRootRoute({ notFoundComponent: NotFound })
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: SignIn,
  // Where to go then: a path of this app alone.
  validateSearch: ({ to }): { to?: string } => (typeof to === 'string' && /^\/(?!\/)/.test(to) ? { to } : {}),
})
const signedIn = createRoute({ getParentRoute: () => root, id: 'signed-in', component: SignedIn })
const page = <Path extends string>(path: Path, component: () => ReactNode) =>
  createRoute({ getParentRoute: () => signedIn, path, component })

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    signedIn.addChildren([
      page('/', Overview),
      page('/labels', Labels),
      page('/filters', Filters),
      page('/scheduled', Scheduled),
      page('/blocked-senders', BlockedSenders),
      page('/domains', Domains),
      page('/mailboxes', Mailboxes),
      page('/members', Members),
    ]),
  ]),
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
