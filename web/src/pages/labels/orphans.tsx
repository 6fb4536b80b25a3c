import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type OrphanLabel, removeOrphanLabel } from '../../api/generated.ts'
import { ActionDialog } from '../../parts/form/action-dialog.tsx'
import { Button } from '../../parts/form/button.tsx'
import { Card } from '../../parts/page/card.tsx'
import { Section } from '../../parts/page/section.tsx'
import { Table } from '../../parts/page/table.tsx'
import { Failure } from '../../parts/state/failure.tsx'
import { VisuallyHidden } from '../../parts/state/visually-hidden.tsx'
import { LabelChip } from '../../parts/text/label-chip.tsx'
import { count } from '../../parts/text/size.ts'
import { someMessages } from '../../parts/text/some-messages.ts'
import { useMay } from '../../session/may.ts'
import { sayChanged } from '../changes/say-changed.tsx'
import { orphansQuery } from './catalogue.ts'
import { LabelForm } from './label-form.tsx'
import { labelsQuery } from './queries.ts'

/** Keywords on messages that no label has, if there are some. */
export function Orphans() {
  const { data: orphans = [], error, refetch } = useQuery(orphansQuery)
  const mayChange = useMay('labels:write')
  const [asked, ask] = useState<{ readonly what: 'adopt' | 'remove'; readonly orphan: OrphanLabel }>()
  const close = () => ask(undefined)
  if (orphans.length === 0 && !error && !asked) return null
  return (
    <Section
      title="Keywords without a label"
      about="Their labels were deleted, or a mail program put them on messages. A label makes one visible again."
    >
      <Card>
        {error && orphans.length === 0 ? (
          <Failure error={error} what="keywords without a label" again={() => void refetch()} />
        ) : (
          <Table
            name="Keywords without a label"
            rows={orphans}
            rowKey={({ keyword }) => keyword}
            textOf={({ keyword }) => keyword}
            columns={[
              { heading: 'Keyword', cell: (orphan) => <Keyword {...orphan} /> },
              {
                heading: 'Messages',
                cell: ({ keyword, messages: all, unread }) => (
                  <>
                    <Link to="/search" search={{ q: `label:${keyword}` }}>
                      {count(all)}
                      <VisuallyHidden> messages with {keyword}</VisuallyHidden>
                    </Link>
                    {unread > 0 && `, ${count(unread)} unread`}
                  </>
                ),
              },
              {
                heading: '',
                cell: (orphan) =>
                  mayChange && (
                    <>
                      <Button
                        look="quiet"
                        aria-label={`Adopt ${orphan.keyword}`}
                        onPress={() => ask({ what: 'adopt', orphan })}
                      >
                        Adopt
                      </Button>
                      <Button
                        look="quiet"
                        aria-label={`Remove everywhere: ${orphan.keyword}`}
                        onPress={() => ask({ what: 'remove', orphan })}
                      >
                        Remove everywhere
                      </Button>
                    </>
                  ),
              },
            ]}
          />
        )}
      </Card>
      {asked?.what === 'adopt' && <LabelForm label={undefined} own={false} orphan={asked.orphan} onClose={close} />}
      {asked?.what === 'remove' && <RemoveEverywhere orphan={asked.orphan} onClose={close} />}
    </Section>
  )
}

/** With the name that mail programs show for it. */
function Keyword({ keyword, suggested }: OrphanLabel) {
  return (
    <>
      <code>{keyword}</code>
      {suggested && (
        <>
          {' '}
          <LabelChip name={suggested.name} colour={suggested.colour} own={false} />
        </>
      )}
    </>
  )
}

function RemoveEverywhere({ orphan, onClose }: { orphan: OrphanLabel; onClose: () => void }) {
  const { keyword } = orphan
  const remove = async () => {
    const { change_id } = await removeOrphanLabel(keyword)
    void sayChanged(change_id, {
      doing: `Removing ${keyword}`,
      done: (what) => `${keyword} was removed from ${what}`,
    })
  }
  return (
    <ActionDialog
      title={`Remove ${keyword} everywhere?`}
      about={`It is on ${someMessages(orphan.messages)} that you read, and is taken off those in mailboxes that you may change. For 30 days this can be undone.`}
      action="Remove everywhere"
      danger
      changes={[labelsQuery.queryKey]}
      onSubmit={remove}
      onClose={onClose}
    />
  )
}
