import { evaluateDmarc } from 'mailauth/lib/dmarc/index.js'
import { isInDomain } from '#/base/text/text.ts'
import { canonicalDomain } from '#/formats/mime/address/address.ts'
import type { Authors } from '#/formats/mime/address/authors.ts'
import type { DkimResult, LookUp } from '#/formats/mime/authentication/dkim.ts'
import type { Disposition, DmarcVerdict, SpfVerdict } from '#/formats/mime/authentication/verdict.ts'
import type { Origin } from '#/smtp/protocol/envelope.ts'
import { LastResults } from './last-results.ts'

export interface AuthenticationChecks {
  readonly spf: SpfVerdict
  readonly dkim: readonly DkimResult[]
  /** False if the client's address is unknown, so that a retry cannot evaluate SPF either. */
  readonly spfKnowable: boolean
}

type Judged = DmarcVerdict & { readonly disposition: Disposition }

/** From the weakest to the strictest. */
const dispositions: readonly Disposition[] = ['none', 'quarantine', 'defer', 'reject']
const policies = ['', 'none', 'quarantine', 'reject']
/** The precedence of results among domains with one policy. */
const results = ['pass', 'none', 'temperror', 'fail']

const known = new LastResults<{ readonly domains: string; readonly judged: Judged }>()

/** Whether messages of these authors need no lookups now, if their other results are equal too. */
export function isJudged(origin: Origin | undefined, { domains }: Authors): boolean {
  return origin !== undefined && known.get(origin)?.domains === domains.join(' ')
}

/** The same as `judge`, once a minute for messages of a client with equal domains and results. Not if a name server did not
 *  answer. */
export async function judgeOnce(
  origin: Origin | undefined,
  found: AuthenticationChecks,
  authors: Authors,
  lookUp: LookUp,
): Promise<Judged> {
  if (!origin) return judge(found, authors, lookUp)
  const of = equalFor(found, authors)
  const last = known.get(origin, of)
  if (last) return last.judged
  const asked = noting(lookUp)
  const judged = await judge(found, authors, asked.lookUp)
  if (asked.allAnswered()) known.set(origin, of, { domains: authors.domains.join(' '), judged })
  return judged
}

/** What the result depends on, beside DNS. */
function equalFor({ spf, dkim, spfKnowable }: AuthenticationChecks, { domains, clear }: Authors): string {
  const signatures = dkim.map(({ result, domain }) => [result, domain])
  return JSON.stringify([domains, clear, spf.result, spf.domain, spfKnowable, signatures])
}

/** The same lookup, which notes whether name servers have answered all questions, if only that there is nothing. */
function noting(lookUp: LookUp): { readonly lookUp: LookUp; readonly allAnswered: () => boolean } {
  let allAnswered = true
  return {
    lookUp: (name, type) =>
      lookUp(name, type).catch((error: { code?: unknown }) => {
        if (error.code !== 'ENODATA' && error.code !== 'ENOTFOUND') allAnswered = false
        throw error
      }),
    allAnswered: () => allAnswered,
  }
}

/** Evaluates each author's domain; the strictest disposition applies (RFC 9989, section 11.5). A message whose author is
 *  ambiguous is at least quarantined. */
async function judge(found: AuthenticationChecks, authors: Authors, lookUp: LookUp): Promise<Judged> {
  const judged = await Promise.all(authors.domains.map((domain) => judgeOne(found, domain, lookUp)))
  const [decisive] = judged.toSorted(
    (one, other) =>
      dispositions.indexOf(other.disposition) - dispositions.indexOf(one.disposition) ||
      results.indexOf(other.result) - results.indexOf(one.result),
  )
  const policy = judged.map((one) => one.policy).reduce((one, other) => stricter(policies, one, other), '')
  const dkimAligned = judged.length > 0 && judged.every((one) => one.dkimAligned)
  const all = { policy, dkimAligned }
  if (decisive && (decisive.disposition !== 'none' || authors.clear)) return { ...decisive, ...all }
  return { ...all, result: 'permerror', domain: decisive?.domain ?? '', disposition: 'quarantine' }
}

async function judgeOne(found: AuthenticationChecks, domain: string, lookUp: LookUp): Promise<Judged> {
  const asked = noting(lookUp)
  const { spf, dkim } = found
  const passed = { spf: spf.result === 'pass' ? [spf.domain] : [], dkim: domainsOf(dkim, 'pass') }
  const { response, dkimAligned } = await evaluateDmarc({
    headerFrom: [domain],
    fromFields: 1,
    spfDomains: passed.spf,
    dkimDomains: passed.dkim.map((one) => ({ domain: one })),
    resolver: asked.lookUp,
    strict: true,
  })
  if (!response) throw new Error(`mailauth does not accept the domain ${domain}`)
  const { status, domain: organization, policy, np = '' } = response
  const known = { domain, policy: policy ?? '', dkimAligned: (dkimAligned?.size ?? 0) > 0 }
  const exact = [...passed.spf, ...passed.dkim].some((one) => canonical(one) === domain)
  if (status.result === 'temperror') {
    // An exact match is aligned under every policy.
    const strictest = exact ? 'none' : policy === undefined ? 'reject' : stricter(policies, policy, np)
    return { ...known, result: 'temperror', disposition: isStrict(strictest) ? 'defer' : 'none' }
  }
  if (status.result !== 'fail') return { ...known, result: status.result, disposition: 'none' }
  // If the organizational domain is unknown, the top-level domain bounds it.
  const within = asked.allAnswered() ? organization : (domain.split('.').at(-1) ?? domain)
  const mayPass = (one: string) => isInDomain(canonical(one), within)
  const spfMayPass = spf.result === 'temperror' && mayPass(spf.domain)
  const unfinished = domainsOf(dkim, 'temperror').some(mayPass) || (spfMayPass && found.spfKnowable)
  const result = unfinished || spfMayPass ? 'temperror' : 'fail'
  if (!isStrict(policy)) return { ...known, result, disposition: 'none' }
  if (unfinished) return { ...known, result, disposition: 'defer' }
  return { ...known, result, disposition: spfMayPass || policy === 'quarantine' ? 'quarantine' : 'reject' }
}

function domainsOf(dkim: readonly DkimResult[], wanted: string): string[] {
  return dkim.filter(({ result }) => result === wanted).map(({ domain }) => domain)
}

function stricter(order: readonly string[], one: string, other: string): string {
  return order.indexOf(one) >= order.indexOf(other) ? one : other
}

function isStrict(policy: string): boolean {
  return policy === 'quarantine' || policy === 'reject'
}

function canonical(domain: string): string {
  return canonicalDomain(domain) ?? domain.toLowerCase()
}
