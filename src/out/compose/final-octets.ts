import type { OpenKey } from '#/domains/dkim/signing-keys.ts'
import { isDated, setDate } from './date.ts'
import { signaturesOf, signed } from './sign.ts'

/** A message may be sent so late with the Date for which it was scheduled, in milliseconds: three attempts, five minutes
 *  apart. */
const punctual = 15 * 60_000

/** The octets with which a scheduled message is sent. In time these are the stored ones, which were dated and signed for
 *  that time. If the message is late, was rescheduled, or the signing keys have changed, it gets a new Date and signature. */
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
