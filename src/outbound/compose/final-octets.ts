import type { OpenKey } from '#/domains/dkim/signing-keys.ts'
import { isDated, setDate } from './date.ts'
import { signaturesOf, signed } from './sign.ts'

/** How late a message may go under the Date of its time, in milliseconds: three attempts, five minutes apart. */
const punctual = 15 * 60_000

/**
 * A scheduled message with the octets that it goes with. Where it goes in time they are those that it was stored with,
 * which were dated and signed for then; where it is late, was put back for another time, or other keys have come to sign
 * since, it is dated and signed anew.
 */
export async function finalOctets(
  stored: Buffer,
  { sendAt, now }: { readonly sendAt: Date; readonly now: Date },
  keys: readonly OpenKey[],
): Promise<Buffer> {
  const { selectors, end } = signaturesOf(stored)
  const composed = stored.subarray(end)
  const signs = keys.map(({ selector }) => selector)
  const current = selectors.length === signs.length && signs.every((one) => selectors.includes(one))
  if (current && now.getTime() - sendAt.getTime() <= punctual && isDated(composed, sendAt)) return stored
  setDate(composed, now)
  return await signed(composed, keys, now, 'composed')
}
