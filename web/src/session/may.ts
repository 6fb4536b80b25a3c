import { useQuery } from '@tanstack/react-query'
import type { MeScopesItem } from '../api/generated.ts'
import { meQuery } from './me.ts'

/** Whether whoever is signed in may do what takes this scope. The service decides; this only leaves out what it would refuse. */
export function useMay(scope: MeScopesItem): boolean {
  return useQuery(meQuery).data?.scopes.includes(scope) ?? false
}
