import { useQuery } from '@tanstack/react-query'
import type { Address } from '../../../api/generated.ts'
import { useSettled } from '../../../parts/form/use-settled.ts'
import { bare } from './addresses.ts'
import { olderQuery, recentQuery } from './correspondent-queries.ts'
import { isCalled } from './correspondents.ts'

const most = 6
/** Fewer characters match too many people. */
const fewestTyped = 3

/** People who match the typed text, without those `chosen` already. From recent mail at once, from older mail a moment
 *  later. */
export function useSuggestions(mailbox: string, typed: string, chosen: readonly string[]): readonly Address[] {
  const words = typed.trim()
  const recent = useQuery({ ...recentQuery(mailbox), enabled: mailbox !== '' }).data ?? []
  const taken = new Set(chosen.map((one) => bare(one).toLowerCase()))
  const fits = (person: Address) => isCalled(person, words) && !taken.has(person.address.toLowerCase())
  const found = recent.filter(fits)
  const settled = useSettled(words)
  const isScarce = found.length < most && settled === words && /[\p{L}\p{N}]{2}/u.test(words)
  const older = useQuery({
    ...olderQuery(mailbox, words),
    enabled: mailbox !== '' && isScarce && words.length >= fewestTyped,
  })
  const known = new Set(found.map(({ address }) => address.toLowerCase()))
  const more = (older.data ?? []).filter((person) => fits(person) && !known.has(person.address.toLowerCase()))
  return [...found, ...more].slice(0, most)
}
