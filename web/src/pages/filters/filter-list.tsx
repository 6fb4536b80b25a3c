import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { Button as Handle } from 'react-aria-components/Button'
import { GridList, GridListItem } from 'react-aria-components/GridList'
import { Switch } from 'react-aria-components/Switch'
import { DropIndicator, useDragAndDrop } from 'react-aria-components/useDragAndDrop'
import { Button } from '../../parts/form/button.tsx'
import { afterPaint } from '../../parts/state/after-paint.ts'
import { Status } from '../../parts/text/status.tsx'
import { labelsQuery } from '../labels/queries.ts'
import styles from './filters.module.css'
import { type AnyFilter, filterChange, positionBeside } from './queries.ts'
import { RuleText } from './rule-text.tsx'

interface Props {
  readonly filters: readonly AnyFilter[]
  /** The number of the first: a member's filters run after the organization's. */
  readonly first: number
  /** The owner, for screen readers. */
  readonly name: string
  readonly mayChange: boolean
  /** The id of the filter that a link names. */
  readonly pointedAt: string | undefined
  /** Undefined if the role may not change filters. */
  readonly onRun: ((filter: AnyFilter) => void) | undefined
  readonly onEdit: (filter: AnyFilter) => void
  readonly onDelete: (filter: AnyFilter) => void
}

/** The filters of an owner. Dragging and keys change their order. */
export function FilterList({ filters, first, name, mayChange, pointedAt, onRun, onEdit, onDelete }: Props) {
  const labels = useQuery(labelsQuery).data ?? []
  const { mutate: change } = useMutation(filterChange)
  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (keys) => [...keys].map((key) => ({ 'text/plain': String(key) })),
    onReorder: ({ keys, target }) => {
      const moved = filters.find(({ id }) => keys.has(id))
      const where = target.dropPosition === 'before' ? 'before' : 'after'
      const others = filters.filter((one) => one !== moved)
      const position = moved && positionBeside(others, String(target.key), where)
      if (moved && position !== undefined) change({ filter: moved, fields: { position } })
    },
    renderDropIndicator: (target) => <DropIndicator target={target} className={`${styles.place}`} />,
    isDisabled: !mayChange,
  })
  const list = useRef<HTMLDivElement>(null)
  const isThere = filters.some(({ id }) => id === pointedAt)
  useEffect(() => {
    if (!isThere || pointedAt === undefined) return
    // The rows are rendered after this effect.
    return afterPaint(() => {
      const row = list.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(pointedAt)}"]`)
      row?.scrollIntoView({ block: 'center' })
      row?.focus({ preventScroll: true })
    })
  }, [isThere, pointedAt])
  return (
    <GridList
      ref={list}
      className={`${styles.list}`}
      aria-label={`${name}, in the order in which they run`}
      items={filters}
      dragAndDropHooks={dragAndDropHooks}
      dependencies={[filters, first, labels, pointedAt]}
    >
      {(filter) => (
        <GridListItem
          textValue={filter.name}
          className={[styles.row, !filter.enabled && styles.off, filter.id === pointedAt && styles.pointedAt]
            .filter(Boolean)
            .join(' ')}
        >
          <span className={styles.number}>{first + filters.indexOf(filter)}</span>
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
              {filter.broken && <Status is="warn">Its label was deleted, so it has no effect</Status>}
            </div>
            <div className={styles.rule}>
              <RuleText rule={filter} labels={labels} />
            </div>
          </div>
          {(mayChange || onRun) && (
            <div className={styles.tools}>
              {mayChange && (
                <Switch
                  aria-label={`Run ${filter.name}`}
                  isSelected={filter.enabled}
                  onChange={(enabled) => change({ filter, fields: { enabled } })}
                  className={`${styles.switch}`}
                >
                  <span className={styles.track} />
                </Switch>
              )}
              {onRun && !filter.broken && (
                <Button look="quiet" aria-label={`On old mail: ${filter.name}`} onPress={() => onRun(filter)}>
                  On old mail
                </Button>
              )}
              {mayChange && (
                <>
                  <Button look="quiet" aria-label={`Edit ${filter.name}`} onPress={() => onEdit(filter)}>
                    Edit
                  </Button>
                  <Button look="quiet" aria-label={`Delete ${filter.name}`} onPress={() => onDelete(filter)}>
                    Delete
                  </Button>
                </>
              )}
            </div>
          )}
        </GridListItem>
      )}
    </GridList>
  )
}
