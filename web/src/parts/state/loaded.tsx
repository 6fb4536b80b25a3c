import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Failure } from './failure.tsx'
import styles from './states.module.css'

interface Props<T> {
  readonly query: UseQueryResult<T>
  /** What is being loaded: "labels". */
  readonly what: string
  readonly children: (data: T) => ReactNode
}

/** The result of a query, or its error. An earlier result stays during a refresh. */
export function Loaded<T>({ query, what, children }: Props<T>) {
  const { data, error, refetch } = query
  if (data !== undefined) return children(data)
  if (error) return <Failure error={error} what={what} again={() => void refetch()} />
  return (
    <div className={styles.bars} role="status" aria-label={`Loading ${what}`}>
      <div className={styles.bar} />
      <div className={styles.bar} />
      <div className={styles.bar} />
    </div>
  )
}
