import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { labelsQuery, labelText } from '../labels/queries.ts'

/** Names of labels, by keyword. */
export function useLabelNames(): ReadonlyMap<string, string> {
  const labels = useQuery(labelsQuery).data
  return useMemo(() => new Map(labels?.map((label) => [label.keyword, labelText(label)])), [labels])
}
