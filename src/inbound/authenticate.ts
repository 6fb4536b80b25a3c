import { LookupFailed } from '#/errors.ts'
import type { Authors } from '#/mime/authors.ts'
import { type DkimResult, keyNames, type LookUp } from '#/mime/dkim.ts'
import type { Message } from '#/mime/message.ts'
import type { MessageReader } from '#/mime/reader.ts'
import type { Resolver } from '#/ports/resolver.ts'
import { type Disposition, type DmarcVerdict, judge } from './dmarc.ts'
import type { Envelope } from './envelope.ts'
import { checkSpf, type SpfVerdict } from './spf.ts'

/** What SPF (RFC 7208), DKIM (RFC 6376) and DMARC (RFC 9989) say of a message. Results are those of RFC 8601. */
export interface Verdict {
  readonly spf: SpfVerdict
  readonly dkim: readonly DkimResult[]
  readonly dmarc: DmarcVerdict
  /** What the authors' domains ask to be done with a message of which they know nothing; `none` where they do. */
  readonly disposition: Exclude<Disposition, 'defer'>
  /** One of our own mailboxes sent it: a key has said who it is from, and there is nothing to check. */
  readonly own?: true
  /** What was found when the message first came in, as an Authentication-Results field, where it comes in again. */
  readonly found?: string
}

/** The same before it is known what becomes of a message of which not all could be found out. */
export type Judgement = Omit<Verdict, 'disposition'> & { readonly disposition: Disposition }

/** For all look-ups of a message together, in milliseconds. */
const PATIENCE = 10_000

/** Looks up and verifies. What cannot be found out is `temperror`. */
export async function authenticate(
  { resolver, reader, hostname }: { resolver: Resolver; reader: MessageReader; hostname: string },
  envelope: Pick<Envelope, 'origin' | 'sender'>,
  message: Message,
  authors: Authors,
): Promise<Judgement> {
  const lookUp = lookUpsFor(resolver, envelope.origin?.address ?? '')
  askAhead(lookUp, message, authors)
  const [spf, dkim] = await Promise.all([
    checkSpf(lookUp, envelope, { hostname, patience: PATIENCE }),
    reader.signatures(message, lookUp),
  ])
  const found = { spf, dkim, spfKnowable: envelope.origin !== undefined }
  const { disposition, ...dmarc } = await judge(found, authors, lookUp)
  return { spf, dkim, dmarc, disposition }
}

/** How many labels a domain has at most after the first step towards the root (RFC 9989, section 4.10). */
const MOST_LABELS = 7

/** Asks for all that will be needed at once: what never answers has nothing else wait for it. The policies of the authors'
 *  domains come first, then their keys. */
function askAhead(lookUp: LookUp, message: Message, { domains }: Authors): void {
  const isTheirs = (name: string) => domains.some((domain) => name.toLowerCase().endsWith(domain))
  const keys = keyNames(message.headers)
  const names = [...domains.flatMap(policyNames), ...keys.filter(isTheirs), ...keys]
  for (const name of new Set(names)) lookUp(name, 'TXT').catch(() => {})
}

/** Where the policy of a domain may be, up to the root. */
function policyNames(domain: string): string[] {
  const labels = domain.split('.')
  const above = labels.length > MOST_LABELS ? labels.slice(-MOST_LABELS) : labels.slice(1)
  return [domain, ...above.map((_, from) => above.slice(from).join('.'))].map((name) => `_dmarc.${name}`)
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
    const question = `${type} ${name.toLowerCase()}`
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
