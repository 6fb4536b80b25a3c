import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Failure } from './failure.tsx'
import { Loading } from './loading.tsx'

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
  return <Loading what={what} />
}
