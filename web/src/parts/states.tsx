import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ApiError } from '../api/call.ts'
import { Button } from './button.tsx'
import styles from './states.module.css'

interface Props<T> {
  readonly query: UseQueryResult<T>
  /** What is being loaded: "labels". */
  readonly what: string
  readonly children: (data: T) => ReactNode
}

/** What a query brought, or why it did not. What was there before stays while it is asked for again. */
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

/** Nothing is there yet: what it would be good for, and how to begin. */
export function Empty({ title, about, children }: { title: string; about: ReactNode; children?: ReactNode }) {
  return (
    <div className={styles.state}>
      <h2>{title}</h2>
      <p className={styles.about}>{about}</p>
      {children}
    </div>
  )
}

export function Failure({ error, what, again }: { error: Error; what: string; again: () => void }) {
  if (error instanceof ApiError && error.status === 403)
    return <Empty title={`You may not see ${what}`} about="An owner or an admin of your organization can." />
  const reference = error instanceof ApiError && error.requestId !== undefined && ` Request ${error.requestId}.`
  return (
    <div className={styles.state} role="alert">
      <h2>{error instanceof ApiError && error.isOffline ? 'You are offline' : `Loading ${what} failed`}</h2>
      <p className={styles.about}>
        {error.message}.{reference}
      </p>
      <Button onPress={again}>Try again</Button>
    </div>
  )
}
