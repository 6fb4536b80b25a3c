import { evaluateDmarc } from 'mailauth/lib/dmarc/index.js'
import { canonicalDomain } from '#/mime/address/address.ts'
import type { Authors } from '#/mime/address/authors.ts'
import type { DkimResult, LookUp } from '#/mime/authentication/dkim.ts'
import type { Disposition, DmarcVerdict, SpfVerdict } from '#/mime/authentication/verdict.ts'
import type { Origin } from '../smtp/envelope.ts'

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

/** Milliseconds for which a result is cached. */
const cachedMs = 60_000

/** The last result of each connected client. */
const known = new WeakMap<Origin, { domains: string; of: string; until: number; judged: Judged }>()

/** Whether messages of these authors need no lookups now, if their other results are equal too. */
export function isJudged(origin: Origin | undefined, { domains }: Authors): boolean {
  return origin !== undefined && recent(origin)?.domains === domains.join(' ')
}

function recent(origin: Origin) {
  const last = known.get(origin)
  return last && performance.now() < last.until ? last : undefined
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
  const last = recent(origin)
  if (last?.of === of) return last.judged
  let answered = true
  const judged = await judge(found, authors, (name, type) =>
    lookUp(name, type).catch((error: unknown) => {
      answered &&= isAbsent(error)
      throw error
    }),
  )
  if (answered) {
    known.set(origin, { domains: authors.domains.join(' '), of, until: performance.now() + cachedMs, judged })
  }
  return judged
}

/** What the result depends on, beside DNS. */
function equalFor({ spf, dkim, spfKnowable }: AuthenticationChecks, { domains, clear }: Authors): string {
  const signatures = dkim.map(({ result, domain }) => [result, domain])
  return JSON.stringify([domains, clear, spf.result, spf.domain, spfKnowable, signatures])
}

function isAbsent(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === 'ENODATA'
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
  let allFound = true
  const noting: LookUp = (name, type) =>
    lookUp(name, type).catch((error: unknown) => {
      allFound &&= isAbsent(error)
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
  if (!response) throw new Error(`mailauth does not accept the domain ${domain}`)
  const { status, domain: organization, policy, np = '' } = response
  const known = { domain, policy: policy ?? '', dkimAligned: (dkimAligned?.size ?? 0) > 0 }
  const exact = [...passed.spf, ...passed.dkim].some((one) => canonical(one) === domain)
  if (status.result === 'temperror') {
    // An exact match is aligned under every policy.
    const asked = exact ? 'none' : policy === undefined ? 'reject' : stricter(policies, policy, np)
    return { ...known, result: 'temperror', disposition: isStrict(asked) ? 'defer' : 'none' }
  }
  if (status.result !== 'fail') return { ...known, result: status.result, disposition: 'none' }
  // If the organizational domain is unknown, the top-level domain bounds it.
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
