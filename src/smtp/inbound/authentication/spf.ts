import { spf } from 'mailauth/lib/spf/index.js'
import { splitAddress } from '#/formats/mime/address/address.ts'
import type { LookUp } from '#/formats/mime/authentication/dkim.ts'
import type { SpfVerdict } from '#/formats/mime/authentication/verdict.ts'
import type { Envelope } from '#/smtp/protocol/envelope.ts'
import { LastResults } from './last-results.ts'

const known = new LastResults<SpfVerdict>()

/** Evaluates SPF within `timeout` milliseconds. Messages of one session mostly have one sender, and SPF takes a tenth of the
 *  time of a message, so results other than `temperror` are cached. `hostname` is ours, which records may name. */
export async function checkSpf(
  lookUp: LookUp,
  { origin, sender }: Pick<Envelope, 'origin' | 'sender'>,
  { hostname, timeout }: { hostname: string; timeout: number },
): Promise<SpfVerdict> {
  const identity = sender ? ('mailfrom' as const) : ('helo' as const)
  if (!origin) return { result: 'temperror', domain: splitAddress(sender)?.domain ?? '', identity }
  const last = known.get(origin, sender)
  if (last) return last
  const { address: ip, helo } = origin
  const { status, domain } = await spf({
    ...{ sender, ip, helo, mta: hostname },
    resolver: lookUp,
    maxElapsedTime: timeout,
    strict: true,
  })
  const verdict = { result: status.result, domain, identity }
  if (verdict.result !== 'temperror') known.set(origin, sender, verdict)
  return verdict
}
