/** The time limit, in milliseconds, of a test for what the product does within `ms`. A busy machine takes several times as
 *  long; what never ends still fails. */
export function limitFor(ms: number): number {
  return 6 * ms
}
