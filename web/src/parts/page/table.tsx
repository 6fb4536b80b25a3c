import type { ReactNode } from 'react'
import styles from './table.module.css'

interface Props<T> {
  /** For screen readers: "Labels". */
  readonly name: string
  readonly rows: readonly T[]
  readonly rowKey: (row: T) => string
  readonly columns: readonly Column<T>[]
}

export interface Column<T> {
  /** An empty heading is for actions. */
  readonly heading: string
  readonly cell: (row: T) => ReactNode
}

export function Table<T>({ name, rows, rowKey, columns }: Props<T>) {
  return (
    <table className={styles.table} aria-label={name}>
      <thead>
        <tr>
          {columns.map(({ heading }) => (heading === '' ? <td key="actions" /> : <th key={heading}>{heading}</th>))}
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
