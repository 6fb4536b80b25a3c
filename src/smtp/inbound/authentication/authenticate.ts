import { LookupFailed } from '#/base/errors.ts'
import type { Resolver } from '#/base/network/resolver.ts'
import { dnsName, isInDomain } from '#/base/text/text.ts'
import type { Authors } from '#/formats/mime/address/authors.ts'
import { keyNames, type LookUp } from '#/formats/mime/authentication/dkim.ts'
import type { Judgement } from '#/formats/mime/authentication/verdict.ts'
import type { Message } from '#/formats/mime/message.ts'
import type { MessageReader } from '#/formats/mime/reader.ts'
import type { Envelope } from '#/smtp/protocol/envelope.ts'
import { isJudged, judgeOnce } from './dmarc.ts'
import { checkSpf } from './spf.ts'

/** Milliseconds for all lookups of a message. */
const TIMEOUT = 10_000

/** Evaluates SPF, DKIM and DMARC. A failed lookup gives `temperror`. */
export async function authenticate(
  { resolver, reader, hostname }: { resolver: Resolver; reader: MessageReader; hostname: string },
  envelope: Pick<Envelope, 'origin' | 'sender'>,
  message: Message,
  authors: Authors,
): Promise<Judgement> {
  const lookUp = lookUpsFor(resolver, envelope.origin?.address ?? '')
  askAhead(lookUp, message, authors, isJudged(envelope.origin, authors))
  const [spf, dkim] = await Promise.all([
    checkSpf(lookUp, envelope, { hostname, timeout: TIMEOUT }),
    reader.signatures(message, lookUp),
  ])
  const found = { spf, dkim, spfKnowable: envelope.origin !== undefined }
  const { disposition, ...dmarc } = await judgeOnce(envelope.origin, found, authors, lookUp)
  return { spf, dkim, dmarc, disposition }
}

/** RFC 9989, section 4.10: the labels of a domain after the first step of the tree walk. */
const MOST_LABELS = 7

/** Starts all lookups concurrently, so that a name server that does not answer delays no other lookup. Policies of the
 *  authors' domains, if they are needed, come first, then their keys. */
function askAhead(lookUp: LookUp, message: Message, { domains }: Authors, areJudged: boolean): void {
  const isTheirs = (name: string) => domains.some((domain) => isInDomain(dnsName(name), domain))
  const keys = keyNames(message.headers)
  const policies = areJudged ? [] : domains.flatMap(policyNames)
  const names = [...policies, ...keys.filter(isTheirs), ...keys]
  for (const name of new Set(names)) lookUp(name, 'TXT').catch(() => {})
}

/** The names of the DMARC tree walk (RFC 9989, section 4.10). */
function policyNames(domain: string): string[] {
  const labels = domain.split('.')
  const above = labels.length > MOST_LABELS ? labels.slice(-MOST_LABELS) : labels.slice(1)
  return [domain, ...above.map((_, from) => above.slice(from).join('.'))].map((name) => `_dmarc.${name}`)
}

/** Adapts our resolver to mailauth, which expects node:dns: each question is asked once, within `TIMEOUT`. */
export function lookUpsFor(resolver: Resolver, client: string): LookUp {
  const end = performance.now() + TIMEOUT
  const asked = new Map<string, Promise<string[]>>()
  const ask = async (name: string, type: string) => {
    if (performance.now() > end) throw failure('ETIMEOUT', name)
    // Of an address DMARC asks whether the name exists at all: `np=` is for names that do not (RFC 9989, appendix A.4).
    let exists = true
    try {
      const records = await answerOf(resolver, client, name, type)
      if (records.length > 0) return records as string[]
      if (type === 'A') exists = await resolver.exists(name)
    } catch (error) {
      if (error instanceof LookupFailed) throw failure(error.reason === 'timeout' ? 'ETIMEOUT' : 'ESERVFAIL', name)
      throw error
    }
    throw failure(exists ? 'ENODATA' : 'ENOTFOUND', name)
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
    case 'PTR': // only SPF asks, for the client (RFC 7208, section 5.5)
      return resolver.ptr(client)
    default:
      return Promise.resolve([])
  }
}

/** A failure of node:dns, but not an Error: collecting its stack would cost more than the lookup. */
function failure(code: string, name: string): { code: string; message: string } {
  return { code, message: `${code} ${name}` }
}
