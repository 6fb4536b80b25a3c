import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Button } from '../../parts/form/button.tsx'
import { Table } from '../../parts/page/table.tsx'
import { VisuallyHidden } from '../../parts/state/visually-hidden.tsx'
import { LabelChip } from '../../parts/text/label-chip.tsx'
import { count } from '../../parts/text/size.ts'
import { Time } from '../../parts/time/time.tsx'
import { useMay } from '../../session/may.ts'
import { labelCountsQuery, labelMakersQuery } from './catalogue.ts'
import type { AnyLabel } from './queries.ts'

/** The open dialog of a label, or of a new one. */
export type Asked =
  | { readonly form: AnyLabel | 'new'; readonly own: boolean }
  | { readonly merge: AnyLabel }
  | { readonly delete: AnyLabel }

/** Without counts, as for many mailboxes on a mail server, the list is still shown. */
const shownCount = (messages: number | null | undefined) => (typeof messages === 'number' ? count(messages) : 'Show')

interface Props {
  readonly labels: readonly AnyLabel[]
  readonly own: boolean
  readonly mayChange: boolean
  readonly ask: (asked: Asked) => void
}

export function LabelTable({ labels, own, mayChange, ask }: Props) {
  const counts = useQuery(labelCountsQuery).data
  const makers = useQuery({ ...labelMakersQuery, enabled: useMay('read_audit') }).data
  return (
    <Table
      name={own ? 'Your own labels' : 'Labels of the organization'}
      rows={labels}
      rowKey={({ id }) => id}
      textOf={({ name, keyword }) => `${name} ${keyword}`}
      columns={[
        { heading: 'Label', cell: (label) => <LabelChip {...label} /> },
        { heading: 'Keyword', cell: ({ keyword }) => <code>{keyword}</code> },
        {
          heading: 'Messages',
          cell: ({ id, name, keyword }) => (
            <>
              <Link to="/search" search={{ q: `label:${keyword}` }}>
                {shownCount(counts?.get(id)?.messages)}
                <VisuallyHidden> messages with {name}</VisuallyHidden>
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
                {!own && labels.length > 1 && (
                  <Button
                    look="quiet"
                    aria-label={`Merge ${label.name} into another`}
                    onPress={() => ask({ merge: label })}
                  >
                    Merge
                  </Button>
                )}
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
