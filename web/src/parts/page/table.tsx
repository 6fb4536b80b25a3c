import { type ReactNode, useState } from 'react'
import { Button } from '../form/button.tsx'
import { VisuallyHidden } from '../state/visually-hidden.tsx'
import { count } from '../text/size.ts'
import styles from './table.module.css'

interface Props<T> {
  /** For screen readers: "Labels". */
  readonly name: string
  readonly rows: readonly T[]
  readonly rowKey: (row: T) => string
  readonly columns: readonly Column<T>[]
  /** The text by which a row is found in a long table, which is then shown portion by portion. */
  readonly textOf?: (row: T) => string
}

export interface Column<T> {
  /** An empty heading is for actions. */
  readonly heading: string
  readonly cell: (row: T) => ReactNode
}

/** Rows of a table that needs no field to find one. */
const few = 20
/** Rows that are shown at first, and how many more each time that is asked for. */
const portion = 100

export function Table<T>({ rows, textOf, ...props }: Props<T>) {
  const [sought, seek] = useState('')
  const [shown, setShown] = useState(portion)
  if (!textOf || rows.length <= few) return <Rows rows={rows} {...props} />
  const words = sought.trim().toLowerCase()
  const found = words === '' ? rows : rows.filter((row) => textOf(row).toLowerCase().includes(words))
  return (
    <>
      <div className={styles.find}>
        <input
          type="search"
          aria-label={`Find in ${props.name}`}
          placeholder="Find"
          value={sought}
          onChange={({ target }) => seek(target.value)}
        />
        <span role="status">{words !== '' && `${count(found.length)} of ${count(rows.length)}`}</span>
      </div>
      {found.length > 0 && <Rows rows={found.slice(0, shown)} {...props} />}
      {found.length > shown && (
        <div className={styles.more}>
          <Button onPress={() => setShown(shown + portion)}>Show more</Button>
          {count(shown)} of {count(found.length)}
        </div>
      )}
    </>
  )
}

function Rows<T>({ name, rows, rowKey, columns }: Omit<Props<T>, 'textOf'>) {
  return (
    <table className={styles.table} aria-label={name}>
      <thead>
        <tr>
          {columns.map(({ heading }) => (
            <th key={heading}>{heading === '' ? <VisuallyHidden>Actions</VisuallyHidden> : heading}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={rowKey(row)}>
            {columns.map(({ heading, cell }, index) => (
              <td
                key={heading}
                data-of={index > 0 && heading !== '' ? heading : undefined}
                data-actions={heading === '' || undefined}
              >
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
