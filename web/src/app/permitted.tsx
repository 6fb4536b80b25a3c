import { Outlet, useRouterState } from '@tanstack/react-router'
import type { Me } from '../api/generated.ts'
import { Card } from '../parts/page/card.tsx'
import { Page } from '../parts/page/page.tsx'
import { Empty } from '../parts/state/empty.tsx'
import { may } from '../session/may.ts'
import { pages } from './navigation.ts'

/** The opened page; for a role that may not use it, that it may not, without requests that would be refused. */
export function Permitted({ me }: { me: Me }) {
  const opened = useRouterState({
    select: ({ location }) => pages.find(({ to }) => to === `/${location.pathname.split('/')[1]}`),
  })
  if (!opened || may(me, opened.needs)) return <Outlet />
  return (
    <Page title={opened.title}>
      <Card>
        <Empty
          title="You may not see this page"
          about={`Your role, ${me.role}, does not allow it. An owner can give you another.`}
        />
      </Card>
    </Page>
  )
}
