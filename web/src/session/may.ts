import { useQuery } from '@tanstack/react-query'
import type { Me } from '../api/generated.ts'
import { meQuery } from './me.ts'
import type { Need } from './need.ts'

/** Whether the signed-in member has a scope or permission. The service decides; this only hides what it would refuse. */
export function useMay(need: Need): boolean {
  const { data } = useQuery(meQuery)
  return data !== undefined && may(data, need)
}

export function may({ scopes, permissions }: Me, need: Need): boolean {
  return [...scopes, ...permissions].some((one) => one === need)
}
