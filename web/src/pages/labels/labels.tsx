import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useActions } from '../../parts/actions/use-actions.ts'
import { ByOwner } from '../../parts/page/by-owner.tsx'
import { Page } from '../../parts/page/page.tsx'
import { Empty } from '../../parts/state/empty.tsx'
import { labelActions } from './actions.ts'
import { DeleteLabel } from './delete-label.tsx'
import { LabelForm } from './label-form.tsx'
import { type Asked, LabelTable } from './label-table.tsx'
import { MergeLabel } from './merge-label.tsx'
import { Orphans } from './orphans.tsx'
import { labelsQuery } from './queries.ts'

/** The labels of the organization and of the member. */
export function Labels() {
  const query = useQuery(labelsQuery)
  const [asked, ask] = useState<Asked>()
  const close = () => ask(undefined)
  const add = useActions(labelActions, (own) => ask({ form: 'new', own }))
  return (
    <Page
      title="Labels"
      about="A label sorts messages by what they are about. In mail programs it is its keyword. Filters can put it on as mail arrives."
    >
      <ByOwner
        query={query}
        what="labels"
        needs="labels:write"
        about={(own) =>
          own ? 'Only you see and use these.' : 'Everybody in the organization can put these on messages.'
        }
        add={add}
      >
        {(labels, own, mayChange) =>
          labels.length === 0 ? (
            <Empty
              title={own ? 'No labels of your own' : 'No labels yet'}
              about={own ? 'Labels that only you use are shown here.' : 'Labels that all members use are shown here.'}
            />
          ) : (
            <LabelTable labels={labels} own={own} mayChange={mayChange} ask={ask} />
          )
        }
      </ByOwner>
      <Orphans />
      {asked && 'form' in asked && (
        <LabelForm label={asked.form === 'new' ? undefined : asked.form} own={asked.own} onClose={close} />
      )}
      {asked && 'merge' in asked && (
        <MergeLabel
          label={asked.merge}
          others={query.data?.filter(({ id, own }) => !own && id !== asked.merge.id) ?? []}
          onClose={close}
        />
      )}
      {asked && 'delete' in asked && <DeleteLabel label={asked.delete} onClose={close} />}
    </Page>
  )
}
