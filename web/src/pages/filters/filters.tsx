import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { ActionButtons } from '../../parts/actions/action-buttons.tsx'
import { useActions } from '../../parts/actions/use-actions.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { Button } from '../../parts/form/button.tsx'
import { ByOwner } from '../../parts/page/by-owner.tsx'
import { Page } from '../../parts/page/page.tsx'
import { Empty } from '../../parts/state/empty.tsx'
import { useMay } from '../../session/may.ts'
import { meQuery } from '../../session/me.ts'
import { filterActions, trialActions } from './actions.ts'
import { FilterForm } from './filter-form.tsx'
import { FilterList } from './filter-list.tsx'
import { MessageTrial } from './message-trial.tsx'
import { type AnyFilter, filterRequests, filtersQuery } from './queries.ts'
import { RunDialog } from './run-dialog.tsx'
import { Runs } from './runs.tsx'
import { Trial } from './trial.tsx'

type Asked =
  | { readonly form: AnyFilter }
  | { readonly form: 'new'; readonly own: boolean; readonly from?: string }
  | { readonly delete: AnyFilter }
  | { readonly run: AnyFilter | 'all'; readonly own: boolean }
  | 'trial'

/** The filters of the organization, then those of the member, in the order in which they run. */
export function Filters() {
  const query = useQuery(filtersQuery)
  const ofAll = query.data?.filter((one) => !one.own).length ?? 0
  const { from, own: forOwn = false, filter: pointedAt, tried } = useSearch({ from: '/signed-in/filters' })
  const navigate = useNavigate()
  const mayRun = useMayRun()
  const mayChangeAll = useMay('filters:write')
  const own = forOwn || !mayChangeAll
  const [asked, ask] = useState<Asked | undefined>(from === undefined ? undefined : { form: 'new', own, from })
  const close = () => {
    ask(undefined)
    if (from !== undefined || tried) void navigate({ to: '/filters', replace: true })
  }
  const add = useActions(filterActions, (own) => ask({ form: 'new', own }))
  const trials = useActions(trialActions, () => ask('trial'))
  return (
    <Page
      title="Filters"
      about="Each arriving message passes them in the order of their numbers. All that match act; only the first that moves does so."
      actions={<ActionButtons actions={trials} />}
    >
      <ByOwner
        sideBySide
        query={query}
        what="filters"
        needs="filters:write"
        about={(own) =>
          own ? 'These run last, on your own mailbox alone.' : 'These run first, on the mail of every mailbox.'
        }
        use={(own) =>
          mayRun(own) &&
          query.data?.some((one) => one.own === own && one.enabled && !one.broken) && (
            <Button onPress={() => ask({ run: 'all', own })}>
              {own ? 'Run own on old mail' : 'Run all on old mail'}
            </Button>
          )
        }
        add={add}
      >
        {(filters, own, mayChange) =>
          filters.length === 0 ? (
            <Empty
              title={own ? 'No filters of your own' : 'No filters yet'}
              about="A filter labels, moves, stars or marks read what arrives, by sender, recipient or subject."
            />
          ) : (
            <FilterList
              filters={filters}
              first={own ? ofAll + 1 : 1}
              name={own ? 'Your own filters' : 'Filters of the organization'}
              mayChange={mayChange}
              pointedAt={pointedAt}
              onRun={mayRun(own) ? (filter) => ask({ run: filter, own }) : undefined}
              onEdit={(filter) => ask({ form: filter })}
              onDelete={(filter) => ask({ delete: filter })}
            />
          )
        }
      </ByOwner>
      <Runs />
      {asked === 'trial' && <Trial onClose={close} />}
      {tried && !asked && <MessageTrial of={tried} onClose={close} />}
      {asked && asked !== 'trial' && 'form' in asked && (
        <FilterForm
          {...(asked.form === 'new' ? asked : { own: asked.form.own })}
          filter={asked.form === 'new' ? undefined : asked.form}
          onClose={close}
        />
      )}
      {asked && asked !== 'trial' && 'run' in asked && (
        <RunDialog filter={asked.run === 'all' ? undefined : asked.run} own={asked.own} onClose={close} />
      )}
      {asked && asked !== 'trial' && 'delete' in asked && <Delete filter={asked.delete} onClose={close} />}
    </Page>
  )
}

/** Whether there is mail that filters, one's own or the organization's, may change. */
function useMayRun(): (own: boolean) => boolean {
  const mailboxes = useQuery(meQuery).data?.mailboxes.filter(({ kind }) => kind === 'smart') ?? []
  const may = useMay('messages:write')
  return (own) => may && mailboxes.some(({ level }) => level === 'own' || (!own && level !== 'read'))
}

function Delete({ filter: { id, name, own }, onClose }: { filter: AnyFilter; onClose: () => void }) {
  return (
    <ActionDialog
      title={`Delete the filter ${name}?`}
      about="What it did to messages stays."
      action="Delete filter"
      danger
      changes={[filtersQuery.queryKey]}
      onSubmit={() => filterRequests(own).remove(id)}
      onClose={onClose}
    />
  )
}
