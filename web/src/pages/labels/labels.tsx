import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { ByOwner } from '../../parts/by-owner.tsx'
import { LabelChip } from '../../parts/chip.tsx'
import { Heard } from '../../parts/heard.tsx'
import { Page } from '../../parts/page.tsx'
import { count } from '../../parts/size.ts'
import { Empty } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { useMay } from '../../session/may.ts'
import { DeleteLabel } from './delete-label.tsx'
import { LabelForm } from './label-form.tsx'
import { type AnyLabel, labelCountsQuery, labelMakersQuery, labelsQuery } from './queries.ts'

type Asked = { readonly form: AnyLabel | 'new'; readonly own: boolean } | { readonly delete: AnyLabel }

/** The labels of the organization and one's own. */
export function Labels() {
  const query = useQuery(labelsQuery)
  const [asked, ask] = useState<Asked>()
  const close = () => ask(undefined)
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
        add={(own) => (
          <Button look="primary" onPress={() => ask({ form: 'new', own })}>
            {own ? 'New own label' : 'New label'}
          </Button>
        )}
      >
        {(labels, own, mayChange) =>
          labels.length === 0 ? (
            <Empty
              title={own ? 'No labels of your own' : 'No labels yet'}
              about={own ? 'What only you sort by goes here.' : 'What several people sort by goes here.'}
            />
          ) : (
            <LabelTable labels={labels} own={own} mayChange={mayChange} ask={ask} />
          )
        }
      </ByOwner>
      {asked && 'form' in asked && (
        <LabelForm label={asked.form === 'new' ? undefined : asked.form} own={asked.own} onClose={close} />
      )}
      {asked && 'delete' in asked && <DeleteLabel label={asked.delete} onClose={close} />}
    </Page>
  )
}

/** Where nobody counts, as in many mailboxes on a mail server, there is still the list. */
const shownCount = (messages: number | null | undefined) => (typeof messages === 'number' ? count(messages) : 'Show')

interface TableProps {
  readonly labels: readonly AnyLabel[]
  readonly own: boolean
  readonly mayChange: boolean
  readonly ask: (asked: Asked) => void
}

function LabelTable({ labels, own, mayChange, ask }: TableProps) {
  const counts = useQuery(labelCountsQuery).data
  const makers = useQuery({ ...labelMakersQuery, enabled: useMay('read_audit') }).data
  return (
    <Table
      name={own ? 'Your own labels' : 'Labels of the organization'}
      rows={labels}
      rowKey={({ id }) => id}
      columns={[
        { heading: 'Label', cell: (label) => <LabelChip {...label} /> },
        { heading: 'Keyword', cell: ({ keyword }) => <code>{keyword}</code> },
        {
          heading: 'Messages',
          cell: ({ id, name, keyword }) => (
            <>
              <Link to="/search" search={{ q: `label:${keyword}` }}>
                {shownCount(counts?.get(id)?.messages)}
                <Heard> messages with {name}</Heard>
              </Link>
              {Boolean(counts?.get(id)?.unread) && `, ${shownCount(counts?.get(id)?.unread)} unread`}
            </>
          ),
        },
        {
          heading: 'Created',
          cell: ({ id, created_at }) => (
            <>
              <Time at={created_at} />
              {makers?.has(id) && <div>by {makers.get(id)}</div>}
            </>
          ),
        },
        {
          heading: '',
          cell: (label) =>
            mayChange && (
              <>
                <Button look="quiet" aria-label={`Edit ${label.name}`} onPress={() => ask({ form: label, own })}>
                  Edit
                </Button>
                <Button look="quiet" aria-label={`Delete ${label.name}`} onPress={() => ask({ delete: label })}>
                  Delete
                </Button>
              </>
            ),
        },
      ]}
    />
  )
}
