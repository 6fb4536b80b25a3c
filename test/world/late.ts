/** Milliseconds after which something is late that the product does within `ms`. A busy machine takes several times as long,
 *  and what never ends is found all the same. */
export function late(ms: number): number {
  return 6 * ms
}
