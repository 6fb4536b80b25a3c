import { evaluateDmarc } from 'mailauth/lib/dmarc/index.js'
import { LookupFailed } from '#/errors.ts'
import { type Address, canonicalAddress, splitAddress } from '#/mime/address.ts'
import type { DkimResult, LookUp } from '#/mime/dkim.ts'
import type { Message } from '#/mime/message.ts'
import type { MessageReader } from '#/mime/reader.ts'
import type { Resolver } from '#/ports/resolver.ts'
import type { Envelope } from './envelope.ts'
import { checkSpf, type SpfVerdict } from './spf.ts'

/** What SPF (RFC 7208), DKIM (RFC 6376) and DMARC (RFC 9989) say of a message. Results are those of RFC 8601. */
export interface Verdict {
  readonly spf: SpfVerdict
  readonly dkim: readonly DkimResult[]
  readonly dmarc: {
    readonly result: string
    readonly domain: string
    readonly policy: string
    /** A signature of the author's domain holds, whoever handed the message in. */
    readonly dkimAligned: boolean
  }
  /** What the author's domain asks to be done with a message of which it knows nothing; `none` where it does. */
  readonly disposition: 'none' | 'quarantine' | 'reject'
  /** One of our own mailboxes sent it: a key has said who it is from, and there is nothing to check. */
  readonly own?: true
  /** What was found when the message first came in, as an Authentication-Results field, where it comes in again. */
  readonly found?: string
}

/** For all look-ups of a message together, in milliseconds. */
const PATIENCE = 10_000

/** Looks up and verifies. What cannot be found out is `temperror`, which never counts against a message. */
export async function authenticate(
  { resolver, reader, hostname }: { resolver: Resolver; reader: MessageReader; hostname: string },
  envelope: Pick<Envelope, 'origin' | 'sender'>,
  message: Message,
  authors: readonly Address[],
): Promise<Verdict> {
  const lookUp = lookUpsFor(resolver, envelope.origin?.address ?? '')
  askAhead(lookUp, authors)
  const [spf, dkim] = await Promise.all([
    checkSpf(lookUp, envelope, { hostname, patience: PATIENCE }),
    reader.signatures(message, lookUp),
  ])
  const fromFields = message.headers.count('from')
  const { response: outcome, dkimAligned = new Set() } = await evaluateDmarc({
    headerFrom: authors.map(({ address }) => address),
    fromFields,
    spfDomains: spf.result === 'pass' ? [spf.domain] : [],
    dkimDomains: dkim.filter(({ result }) => result === 'pass').map(({ domain }) => ({ domain })),
    resolver: lookUp,
  })
  if (!outcome) {
    // With several From fields nobody can say which one the reader is shown (RFC 9989 11.5).
    const disposition = fromFields > 1 ? 'quarantine' : 'none'
    const result = fromFields > 1 ? 'permerror' : 'none'
    return { spf, dkim, dmarc: { result, domain: '', policy: '', dkimAligned: false }, disposition }
  }
  const { policy = '', domain: organization, status } = outcome
  const unknown = [spf, ...dkim].some(({ result, domain }) => result === 'temperror' && isWithin(domain, organization))
  const result = status.result === 'fail' && unknown ? 'temperror' : status.result
  const asked = policy === 'reject' || policy === 'quarantine' ? policy : 'none'
  return {
    spf,
    dkim,
    dmarc: { result, domain: status.header?.from ?? '', policy, dkimAligned: dkimAligned.size > 0 },
    disposition: result === 'fail' ? asked : 'none',
  }
}

/** The author's policy is needed last; asked for at once it takes no time of its own. */
function askAhead(lookUp: LookUp, authors: readonly Address[]): void {
  const domain = splitAddress(canonicalAddress(authors[0]?.address ?? '') ?? '')?.domain
  if (domain) lookUp(`_dmarc.${domain}`, 'TXT').catch(() => {})
}

/** Our resolver as mailauth asks it: in the form of node:dns, each question once, and for so long only. */
export function lookUpsFor(resolver: Resolver, client: string): LookUp {
  const end = performance.now() + PATIENCE
  const asked = new Map<string, Promise<string[]>>()
  const ask = async (name: string, type: string) => {
    if (performance.now() > end) throw failure('ETIMEOUT', name)
    try {
      const records = await answerOf(resolver, client, name, type)
      if (records.length > 0) return records as string[]
    } catch (error) {
      if (error instanceof LookupFailed) throw failure(error.reason === 'timeout' ? 'ETIMEOUT' : 'ESERVFAIL', name)
      throw error
    }
    // Whether the name exists is not known; ENODATA never makes a domain's policy stricter than it is.
    throw failure('ENODATA', name)
  }
  return (name, type) => {
    const question = `${type} ${name}`
    const answer = asked.get(question) ?? ask(name, type)
    asked.set(question, answer)
    return answer
  }
}

function answerOf(resolver: Resolver, client: string, name: string, type: string): Promise<readonly unknown[]> {
  switch (type) {
    case 'TXT':
      return resolver.txt(name)
    case 'MX':
      return resolver.mx(name)
    case 'A':
      return resolver.a(name)
    case 'AAAA':
      return resolver.aaaa(name)
    case 'CNAME':
      return resolver.cname(name)
    case 'PTR': // asked by SPF alone, of the client alone (RFC 7208 5.5)
      return resolver.ptr(client)
    default:
      return Promise.resolve([])
  }
}

/** As node:dns fails, but no Error: nobody sees its stack, which would take longer to gather than all else here. */
function failure(code: string, name: string): { code: string; message: string } {
  return { code, message: `${code} ${name}` }
}

function isWithin(domain: string, organization: string): boolean {
  const name = domain.toLowerCase()
  return name !== '' && (name === organization || name.endsWith(`.${organization}`))
}
