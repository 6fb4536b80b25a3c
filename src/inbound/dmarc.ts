import { evaluateDmarc } from 'mailauth/lib/dmarc/index.js'
import { canonicalDomain } from '#/mime/address.ts'
import type { Authors } from '#/mime/authors.ts'
import type { DkimResult, LookUp } from '#/mime/dkim.ts'
import type { SpfVerdict } from './spf.ts'

/** What is to be done with a message, by what its authors' domains ask for. `defer`: it could not be found out whether the
 *  message is theirs, and they ask for more than to be told. */
export type Disposition = 'none' | 'quarantine' | 'defer' | 'reject'

/** What DMARC (RFC 9989) says of a message. */
export interface DmarcVerdict {
  readonly result: string
  /** The author's domain that decided. */
  readonly domain: string
  /** The strictest that an author's domain asks for. */
  readonly policy: string
  /** A signature of each author's domain holds, whoever handed the message in. */
  readonly dkimAligned: boolean
}

/** What was found of a message. */
export interface Found {
  readonly spf: SpfVerdict
  readonly dkim: readonly DkimResult[]
  /** False where nobody has told whom the message comes from, so that SPF will not be known later either. */
  readonly spfKnowable: boolean
}

type Judged = DmarcVerdict & { readonly disposition: Disposition }

/** From the weakest to the strictest. */
const dispositions: readonly Disposition[] = ['none', 'quarantine', 'defer', 'reject']
const policies = ['', 'none', 'quarantine', 'reject']
/** Which result tells most, of domains that ask for the same. */
const results = ['pass', 'none', 'temperror', 'fail']

/** Each author's domain is judged, and the strictest of what they ask for is done (RFC 9989, section 11.5). Where a reader
 *  may be shown somebody else than has been judged, the message is quarantined at least. */
export async function judge(found: Found, authors: Authors, lookUp: LookUp): Promise<Judged> {
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

async function judgeOne(found: Found, domain: string, lookUp: LookUp): Promise<Judged> {
  let allFound = true
  const noting: LookUp = (name, type) =>
    lookUp(name, type).catch((error: { code?: unknown }) => {
      if (error.code !== 'ENODATA') allFound = false
      throw error
    })
  const { spf, dkim } = found
  const passed = { spf: spf.result === 'pass' ? [spf.domain] : [], dkim: domainsOf(dkim, 'pass') }
  const { response, dkimAligned } = await evaluateDmarc({
    headerFrom: [domain],
    fromFields: 1,
    spfDomains: passed.spf,
    dkimDomains: passed.dkim.map((one) => ({ domain: one })),
    resolver: noting,
  })
  if (!response) throw new Error(`DMARC does not know ${domain} for a domain`)
  const { status, domain: organization, policy, np = '' } = response
  const known = { domain, policy: policy ?? '', dkimAligned: (dkimAligned?.size ?? 0) > 0 }
  const exact = [...passed.spf, ...passed.dkim].some((one) => canonical(one) === domain)
  if (status.result === 'temperror') {
    // What passes for the very domain aligns whatever the policy would have said.
    const asked = exact ? 'none' : policy === undefined ? 'reject' : stricter(policies, policy, np)
    return { ...known, result: 'temperror', disposition: isStrict(asked) ? 'defer' : 'none' }
  }
  if (status.result !== 'fail') return { ...known, result: status.result, disposition: 'none' }
  // Where the organization is not known, whatever might be within it counts.
  const within = allFound ? organization : (domain.split('.').at(-1) ?? domain)
  const mayPass = (one: string) => isWithin(canonical(one), within)
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

function isWithin(domain: string, organization: string): boolean {
  return domain !== '' && (domain === organization || domain.endsWith(`.${organization}`))
}
