import { spf } from 'mailauth/lib/spf/index.js'
import { splitAddress } from '#/mime/address.ts'
import type { LookUp } from '#/mime/dkim.ts'
import type { Envelope, Origin } from './envelope.ts'

/** SPF's result (RFC 7208), for the envelope sender's domain or, where the sender is null, for the name in EHLO. */
export interface SpfVerdict {
  readonly result: string
  readonly domain: string
  readonly identity: 'mailfrom' | 'helo'
}

/** How long an answer is believed, in milliseconds. */
const believedMs = 60_000

/** The last answer for each that is still connected. */
const known = new WeakMap<Origin, { sender: string; until: number; verdict: SpfVerdict }>()

/** What a client sends in a row mostly has one sender, and finding this out takes a tenth of what a message takes: it is
 *  asked again after a minute, or at once where it could not be found out. All look-ups have `patience` milliseconds.
 *  `hostname` is ours, which records may name. */
export async function checkSpf(
  lookUp: LookUp,
  { origin, sender }: Pick<Envelope, 'origin' | 'sender'>,
  { hostname, patience }: { hostname: string; patience: number },
): Promise<SpfVerdict> {
  const identity = sender ? ('mailfrom' as const) : ('helo' as const)
  // Nobody can say whether an address that is not known may send.
  if (!origin) return { result: 'temperror', domain: splitAddress(sender)?.domain ?? '', identity }
  const last = known.get(origin)
  if (last?.sender === sender && performance.now() < last.until) return last.verdict
  const { address: ip, helo } = origin
  const { status, domain } = await spf({
    ...{ sender, ip, helo, mta: hostname },
    resolver: lookUp,
    maxElapsedTime: patience,
  })
  const verdict = { result: status.result, domain, identity }
  if (verdict.result !== 'temperror') known.set(origin, { sender, until: performance.now() + believedMs, verdict })
  return verdict
}
