import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useMay } from '../../session/may.ts'
import { meQuery } from '../../session/me.ts'
import type { Need } from '../../session/need.ts'
import type { Owned } from '../../session/owned.ts'
import type { Ready } from '../actions/action.ts'
import { ActionButtons } from '../actions/action-buttons.tsx'
import { Loaded } from '../state/loaded.tsx'
import { Card } from './card.tsx'
import styles from './page.module.css'
import { Section } from './section.tsx'

interface Props<T> {
  readonly query: UseQueryResult<readonly Owned<T>[]>
  /** What is being loaded: "labels". */
  readonly what: string
  /** The permission to change the organization's items. Every member may change their own. */
  readonly needs: Need
  readonly about: (own: boolean) => ReactNode
  /** What creates one of the organization, and what creates one's own. */
  readonly add: readonly Ready[]
  /** Buttons for who may use the items without changing them. */
  readonly use?: (own: boolean) => ReactNode
  /** In a wide window, shows the member's items beside the organization's. */
  readonly sideBySide?: boolean
  readonly children: (items: readonly Owned<T>[], own: boolean, mayChange: boolean) => ReactNode
}

/** The organization's items, and the member's below or beside them. */
export function ByOwner<T>({ query, what, needs, about, add, use, sideBySide = false, children }: Props<T>) {
  const me = useQuery(meQuery).data
  const mayChangeAll = useMay(needs)
  const sections = [false, true].map((own) => {
    const mayChange = own || mayChangeAll
    return (
      <Section
        key={String(own)}
        title={own ? 'Your own' : (me?.organization.name ?? '')}
        about={about(own)}
        actions={
          (mayChange || use) && (
            <div className={styles.actions}>
              {use?.(own)}
              <ActionButtons actions={add.filter((one) => (one.own ?? false) === own)} look="primary" />
            </div>
          )
        }
      >
        <Card>
          <Loaded query={query} what={what}>
            {(items) =>
              children(
                items.filter((item) => item.own === own),
                own,
                mayChange,
              )
            }
          </Loaded>
        </Card>
      </Section>
    )
  })
  return sideBySide ? <div className={styles.sides}>{sections}</div> : sections
}
