/** A time limit in milliseconds for something that the product does within `ms`: a busy machine takes several times as long,
 *  and what never ends still fails. */
export function late(ms: number): number {
  return 6 * ms
}
