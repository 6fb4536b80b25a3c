import { Bad } from '../answers.ts'
import type { Arguments } from './arguments.ts'

/** Places in a result, from 1, or from its end below 0 (RFC 9394, section 3.1), the lower one first. */
export interface PartialRange {
  readonly from: number
  readonly to: number
}

/** `1:500`, or `-1:-500` for the last ones. */
export function partialRange(args: Arguments): PartialRange {
  const [, sign = '', one = '', other = ''] = /^(-?)([1-9]\d{0,9}):\1([1-9]\d{0,9})$/.exec(args.atom()) ?? []
  if (one === '') throw new Bad('PARTIAL has a range such as 1:500 or -1:-500')
  const [a, b] = [Number(sign + one), Number(sign + other)]
  return { from: Math.min(a, b), to: Math.max(a, b) }
}
