import { dnsName } from '#/base/text/text.ts'
import type { Policy } from '#/out/relay/mta-sts.ts'

/** RFC 8461, section 3.2: about a year. */
const longestAge = 31_557_600

/** A policy with its lifetime in seconds; undefined for invalid text. */
export function parsePolicy(text: string): (Policy & { readonly maxAge: number }) | undefined {
  const fields = new Map<string, string[]>()
  for (const line of text.split(/\r?\n/)) {
    const [, name, value] = /^([A-Za-z0-9_.-]{1,32})[ \t]*:(.*)$/.exec(line) ?? []
    if (name === undefined || value === undefined) continue
    const values = fields.get(name)
    if (values) values.push(value.trim())
    else fields.set(name, [value.trim()])
  }
  // RFC 8461, section 3.2: of repeated fields the first counts.
  const [version, mode, age] = ['version', 'mode', 'max_age'].map((name) => fields.get(name)?.[0])
  const mx = (fields.get('mx') ?? []).map(dnsName)
  if (version !== 'STSv1' || !isMode(mode) || !/^\d{1,10}$/.test(age ?? '')) return undefined
  if (mode !== 'none' && mx.length === 0) return undefined
  return { mode, mx, maxAge: Math.min(Number(age), longestAge) }
}

/** Whether a policy names a host (RFC 8461, section 4.1). */
export function names({ mx }: Policy, host: string): boolean {
  const parent = host.slice(host.indexOf('.') + 1)
  return mx.some((name) => name === host || (name.startsWith('*.') && name.slice(2) === parent))
}

/** The id that a domain's TXT records announce its policy by (RFC 8461, section 3.1); undefined if they announce none. */
export function policyId(records: readonly string[]): string | undefined {
  const found = records.filter((record) => /^v=STSv1[ \t]*;/.test(record))
  if (found.length !== 1) return undefined
  return /;[ \t]*id[ \t]*=[ \t]*([A-Za-z0-9]{1,32})[ \t]*(?:;|$)/.exec(found[0] ?? '')?.[1]
}

function isMode(text: string | undefined): text is Policy['mode'] {
  return text === 'enforce' || text === 'testing' || text === 'none'
}
