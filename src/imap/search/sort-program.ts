import { Bad } from '../answers.ts'
import type { Arguments } from '../wire/arguments.ts'

const criteria = ['ARRIVAL', 'CC', 'DATE', 'DISPLAYFROM', 'DISPLAYTO', 'FROM', 'SIZE', 'SUBJECT', 'TO'] as const
export type Criterion = (typeof criteria)[number]

/** A criterion of SORT (RFC 5256, section 3; RFC 5957). */
export interface SortKey {
  readonly by: Criterion
  readonly isReverse: boolean
}

/** `(REVERSE DATE SUBJECT)`. A criterion behind itself changes nothing. */
export function readSortKeys(args: Arguments): SortKey[] {
  const keys: SortKey[] = []
  let isReverse = false
  args.list(() => {
    const word = args.word()
    const by = criteria.find((one) => one === word)
    if (by) {
      if (!keys.some((key) => key.by === by)) keys.push({ by, isReverse })
    } else if (word !== 'REVERSE' || isReverse) throw new Bad('That is no criterion of SORT')
    isReverse = word === 'REVERSE'
  })
  if (isReverse || keys.length === 0) throw new Bad('A criterion of SORT is missing')
  return keys
}
