import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Label } from '../../api/generated.ts'
import { Button } from '../../parts/button.tsx'
import { LabelChip } from '../../parts/chip.tsx'
import { Card, Page } from '../../parts/page.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { useMay } from '../../session/may.ts'
import { DeleteLabel } from './delete-label.tsx'
import { LabelForm } from './label-form.tsx'
import { labelsQuery } from './queries.ts'

type Asked = { readonly form: Label | 'new' } | { readonly delete: Label }

export function Labels() {
  const query = useQuery(labelsQuery)
  const mayChange = useMay('labels:write')
  const [asked, ask] = useState<Asked>()
  const close = () => ask(undefined)
  const add = (
    <Button look="primary" onPress={() => ask({ form: 'new' })}>
      New label
    </Button>
  )
  return (
    <Page
      title="Labels"
      about="Everybody in the organization can put these on messages. In mail programs a label is its keyword."
      actions={mayChange && add}
    >
      <Card>
        <Loaded query={query} what="labels">
          {({ data }) =>
            data.length === 0 ? (
              <Empty
                title="No labels yet"
                about="A label sorts messages by what they are about. Filters can put it on as mail arrives."
              >
                {mayChange && add}
              </Empty>
            ) : (
              <Table
                name="Labels"
                rows={data}
                rowKey={({ id }) => id}
                columns={[
                  { heading: 'Label', cell: ({ name, colour }) => <LabelChip name={name} colour={colour} /> },
                  { heading: 'Keyword', cell: ({ keyword }) => <code>{keyword}</code> },
                  { heading: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
                  {
                    heading: '',
                    cell: (label) =>
                      mayChange && (
                        <>
                          <Button look="quiet" aria-label={`Edit ${label.name}`} onPress={() => ask({ form: label })}>
                            Edit
                          </Button>
                          <Button
                            look="quiet"
                            aria-label={`Delete ${label.name}`}
                            onPress={() => ask({ delete: label })}
                          >
                            Delete
                          </Button>
                        </>
                      ),
                  },
                ]}
              />
            )
          }
        </Loaded>
      </Card>
      {asked && 'form' in asked && <LabelForm label={asked.form === 'new' ? undefined : asked.form} onClose={close} />}
      {asked && 'delete' in asked && <DeleteLabel label={asked.delete} onClose={close} />}
    </Page>
  )
}
