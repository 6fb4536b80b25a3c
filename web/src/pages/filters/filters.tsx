import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { Button as Handle } from 'react-aria-components/Button'
import { GridList, GridListItem } from 'react-aria-components/GridList'
import { Switch } from 'react-aria-components/Switch'
import { DropIndicator, useDragAndDrop } from 'react-aria-components/useDragAndDrop'
import { deleteFilter, type Filter } from '../../api/generated.ts'
import { Button } from '../../parts/button.tsx'
import { Status } from '../../parts/chip.tsx'
import { ActionDialog } from '../../parts/dialog.tsx'
import { Card, Page } from '../../parts/page.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { useMay } from '../../session/may.ts'
import { labelsQuery } from '../labels/queries.ts'
import { FilterForm } from './filter-form.tsx'
import styles from './filters.module.css'
import { change, filtersChanged, filtersQuery, positionBeside } from './queries.ts'
import { RuleText } from './rule.tsx'
import { Trial } from './trial.tsx'

type Asked = { readonly form: Filter | 'new'; readonly from?: string } | { readonly delete: Filter } | 'trial'

export function Filters() {
  const query = useQuery(filtersQuery)
  const mayChange = useMay('filters:write')
  const { from } = useSearch({ from: '/signed-in/filters' })
  const navigate = useNavigate()
  const [asked, ask] = useState<Asked | undefined>(from !== undefined && mayChange ? { form: 'new', from } : undefined)
  const close = () => {
    ask(undefined)
    if (from !== undefined) void navigate({ to: '/filters', replace: true })
  }
  const add = (
    <Button look="primary" onPress={() => ask({ form: 'new' })}>
      New filter
    </Button>
  )
  return (
    <Page
      title="Filters"
      about="They look at each message as it arrives, from top to bottom. All that match act; of those that move, the first."
      actions={
        <div className={styles.tools}>
          <Button onPress={() => ask('trial')}>Try on a message</Button>
          {mayChange && add}
        </div>
      }
    >
      <Card>
        <Loaded query={query} what="filters">
          {({ data }) =>
            data.length === 0 ? (
              <Empty
                title="No filters yet"
                about="A filter labels, moves, stars or marks read what arrives, by sender, recipient or subject."
              >
                {mayChange && add}
              </Empty>
            ) : (
              <FilterList filters={data} mayChange={mayChange} ask={ask} />
            )
          }
        </Loaded>
      </Card>
      {asked === 'trial' && <Trial onClose={close} />}
      {asked && asked !== 'trial' && 'form' in asked && (
        <FilterForm filter={asked.form === 'new' ? undefined : asked.form} from={asked.from} onClose={close} />
      )}
      {asked && asked !== 'trial' && 'delete' in asked && <Delete filter={asked.delete} onClose={close} />}
    </Page>
  )
}

interface ListProps {
  readonly filters: readonly Filter[]
  readonly mayChange: boolean
  readonly ask: (asked: Asked) => void
}

function FilterList({ filters, mayChange, ask }: ListProps) {
  const { data: labels } = useQuery(labelsQuery)
  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (keys) => [...keys].map((key) => ({ 'text/plain': String(key) })),
    onReorder: ({ keys, target }) => {
      const moved = filters.find(({ id }) => keys.has(id))
      const where = target.dropPosition === 'before' ? 'before' : 'after'
      const others = filters.filter((one) => one !== moved)
      const position = moved && positionBeside(others, String(target.key), where)
      if (moved && position !== undefined) void change(moved, { position })
    },
    renderDropIndicator: (target) => <DropIndicator target={target} className={`${styles.place}`} />,
    isDisabled: !mayChange,
  })
  return (
    <GridList
      aria-label="Filters, in the order in which they run"
      items={filters}
      dragAndDropHooks={dragAndDropHooks}
      dependencies={[labels]}
    >
      {(filter) => (
        <GridListItem
          textValue={filter.name}
          className={filter.enabled ? `${styles.row}` : `${styles.row} ${styles.off}`}
        >
          {mayChange ? (
            <Handle slot="drag" className={`${styles.handle}`} aria-label={`Move ${filter.name}`}>
              ⠿
            </Handle>
          ) : (
            <span />
          )}
          <div className={styles.what}>
            <div className={styles.name}>
              {filter.name}
              {filter.broken && <Status is="warn">Its label was deleted, so it does nothing</Status>}
            </div>
            <div className={styles.rule}>
              <RuleText rule={filter} labels={labels?.data ?? []} />
            </div>
          </div>
          {mayChange && (
            <div className={styles.tools}>
              <Switch
                aria-label={`Run ${filter.name}`}
                isSelected={filter.enabled}
                onChange={(enabled) => void change(filter, { enabled })}
                className={`${styles.switch}`}
              >
                <span className={styles.track} />
              </Switch>
              <Button look="quiet" aria-label={`Edit ${filter.name}`} onPress={() => ask({ form: filter })}>
                Edit
              </Button>
              <Button look="quiet" aria-label={`Delete ${filter.name}`} onPress={() => ask({ delete: filter })}>
                Delete
              </Button>
            </div>
          )}
        </GridListItem>
      )}
    </GridList>
  )
}

function Delete({ filter: { id, name }, onClose }: { filter: Filter; onClose: () => void }) {
  const remove = async () => {
    await deleteFilter(id)
    await filtersChanged()
  }
  return (
    <ActionDialog
      title={`Delete the filter ${name}?`}
      about="What it did to messages stays."
      action="Delete filter"
      danger
      onSubmit={remove}
      onClose={onClose}
    />
  )
}
