import { spf } from 'mailauth/lib/spf/index.js'
import { LookupFailed } from '#/base/errors.ts'
import type { Resolver } from '#/base/network/resolver.ts'
import { dnsName } from '#/base/text/text.ts'
import { diagnoseAlias, noneBeside } from './diagnose-alias.ts'
import { diagnosePlace } from './diagnose-place.ts'
import { repaired } from './diagnose-value.ts'
import { type Finding, type Inspection, printable, satisfied, unsatisfied } from './finding.ts'
import { isSpf, mergedSpf, readSpf, type SpfRecord } from './spf-record.ts'

/** Whether SPF (RFC 7208) passes for mail of the domain from our host. The record may allow others as well, by any means. */
export async function inspectSpf(inspection: Inspection): Promise<Finding> {
  const { resolver, wanted, domain } = inspection
  const texts = await resolver.txt(domain)
  const records = texts.filter(isSpf)
  const [record] = records
  if (record === undefined) return absent(inspection, texts)
  if (records.length > 1) return unsatisfied('conflict', records, oneOnly(records, wanted.value))
  if (record.length > longestRead)
    return unsatisfied('mismatch', records, `The record is longer than receivers read: publish ${wanted.value}`)
  const verdict = await verdictFor(inspection, record)
  if (verdict.passes) return satisfied(records)
  const merged = mergedSpf([record], ourTerm(wanted.value))
  const publish =
    merged === undefined ? `Put ${ourTerm(wanted.value)} right behind v=spf1.` : `Change the record to: ${merged}`
  return unsatisfied('mismatch', records, `${verdict.reason} ${publish}`)
}

/** Far more than fits into a DNS response. */
const longestRead = 4_096

type SpfVerdict = { readonly passes: true } | { readonly passes: false; readonly reason: string }

/** By the result for each of our addresses; if none is known, by the name. */
async function verdictFor({ resolver, wanted, domain }: Inspection, record: string): Promise<SpfVerdict> {
  const host = ourTerm(wanted.value).replace(/^a:/, '')
  const named = await isNamed(resolver, readSpf(record), domain, host)
  const addresses = await addressesOf(resolver, host, named)
  const verdicts = await Promise.all(addresses.map((address) => verdictOn(resolver, domain, host, address)))
  const failed = verdicts.find(({ result }) => result !== 'pass')
  if (!failed && (named || verdicts.length > 0)) return { passes: true }
  if (failed?.result === 'temperror') throw new LookupFailed(domain, 'timeout')
  if (failed?.result === 'permerror')
    return {
      passes: false,
      reason: `Receivers can't evaluate the record${failed.text && ` (${printable(failed.text)})`}, so it has no effect.`,
    }
  if (failed && named) return { passes: false, reason: `The record names ${host}, and an earlier term refuses it.` }
  return { passes: false, reason: `The record does not allow ${host} to send for the domain.` }
}

/** That our own host cannot be looked up says nothing about a record with its name. */
async function addressesOf(resolver: Resolver, host: string, named: boolean): Promise<string[]> {
  try {
    return (await Promise.all([resolver.a(host), resolver.aaaa(host)])).flat().slice(0, mostAddresses)
  } catch (error) {
    if (named && error instanceof LookupFailed) return []
    throw error
  }
}

const mostAddresses = 4
/** For one evaluation, in milliseconds. */
const patience = 10_000

async function verdictOn(resolver: Resolver, domain: string, host: string, ip: string) {
  const sender = `postmaster@${domain}`
  const { status } = await spf({ sender, ip, helo: host, resolver: lookUps(resolver), maxElapsedTime: patience })
  const [, text = ''] = /lookup of [^:]*: (.*)$/s.exec(status.comment ?? '') ?? []
  return { result: status.result, text }
}

/** Our resolver in the form of node:dns, for the evaluation of SPF. Leaves out records that no receiver reads. */
function lookUps(resolver: Resolver): (name: string, type: string) => Promise<string[]> {
  const ask = async (name: string, type: string): Promise<readonly unknown[]> => {
    if (type === 'TXT') return (await resolver.txt(name)).filter(({ length }) => length <= longestRead)
    if (type === 'MX') return resolver.mx(name)
    if (type === 'A') return resolver.a(name)
    return type === 'AAAA' ? resolver.aaaa(name) : []
  }
  return async (name, type) => {
    const records = await ask(name, type).catch((error) => {
      if (!(error instanceof LookupFailed)) throw error
      throw Object.assign(new Error(error.message), { code: error.reason === 'timeout' ? 'ETIMEOUT' : 'ESERVFAIL' })
    })
    if (records.length === 0) throw Object.assign(new Error(`No ${type} at ${name}`), { code: 'ENODATA' })
    return records as string[]
  }
}

/** Whether a mechanism allows the host by name. */
async function isNamed(resolver: Resolver, { terms }: SpfRecord, domain: string, host: string): Promise<boolean> {
  const passing = terms.slice(0, mostTerms).map((term) => /^\+?(a|mx|include)(?::([^/]+))?$/i.exec(term))
  for (const [, mechanism = '', target = domain] of passing.filter((match) => match !== null)) {
    if (sameName(target, host) && mechanism.toLowerCase() !== 'mx') return true
    if (mechanism.toLowerCase() === 'mx' && sameName(target, domain)) {
      if ((await resolver.mx(domain)).some(({ exchange }) => sameName(exchange, host))) return true
    }
  }
  return false
}

const mostTerms = 100

function sameName(one: string, other: string): boolean {
  return dnsName(one) === dnsName(other)
}

function ourTerm(wanted: string): string {
  return wanted.split(' ')[1] ?? ''
}

function oneOnly(records: readonly string[], wanted: string): string {
  const merged = mergedSpf(
    records.filter(({ length }) => length <= longestRead),
    ourTerm(wanted),
  )
  const several = `${records.length} SPF records are at the domain. Receivers use none if there are several. `
  return several + (merged === undefined ? 'Merge them into one.' : `Replace them by one: ${merged}`)
}

async function absent(inspection: Inspection, texts: readonly string[]): Promise<Finding> {
  const { resolver, domain, wanted } = inspection
  for (const text of texts) {
    const { value, mishaps } = repaired(text.slice(0, longestRead))
    if (!/^v\s*=\s*spf1/i.test(value)) continue
    // White space before it, which is no mishap of other records, makes it none of SPF (RFC 7208, section 4.5).
    const isMended = isSpf(value) && mishaps.length > 0
    return unsatisfied('mismatch', [text], isMended ? mishaps.join(' ') : 'The record must start with v=spf1.')
  }
  const alias = await diagnoseAlias(resolver, domain)
  if (alias !== undefined) return unsatisfied('conflict', [`CNAME ${alias}`], noneBeside(domain, alias, 'TXT'))
  const holds = async (name: string) => (await resolver.txt(name)).includes(wanted.value)
  return unsatisfied('missing', [], await diagnosePlace(inspection, holds))
}
