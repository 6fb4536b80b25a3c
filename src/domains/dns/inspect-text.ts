import { registeredDomain } from '../name.ts'
import { diagnoseAlias } from './diagnose-alias.ts'
import { diagnosePlace } from './diagnose-place.ts'
import { diagnoseValue } from './diagnose-value.ts'
import { type Finding, type Inspection, printable, satisfied, unsatisfied } from './finding.ts'
import type { Reading } from './read-text.ts'

/** A TXT record of which there is to be one. */
export async function inspectText(inspection: Inspection, reading: Reading): Promise<Finding> {
  const { resolver, wanted } = inspection
  const texts = await resolver.txt(wanted.name)
  const meant = texts.filter((text) => reading.isMeant(text))
  if (reading.single && meant.length > 1)
    return unsatisfied('conflict', meant, oneOnly(meant.length, inspection, reading))
  const good = meant.find((text) => reading.fault(text) === undefined)
  if (good !== undefined) return satisfied([good], reading.advice?.(good) ?? null)
  const parents = texts.length === 0 && reading.inherited ? await inheritedFrom(inspection, reading) : undefined
  if (parents !== undefined) return satisfied([parents])
  return amiss(inspection, reading, meant.length > 0 ? meant : texts)
}

function oneOnly(count: number, { wanted }: Inspection, { plural }: Reading): string {
  return `${count} ${plural} are at ${wanted.name}. Receivers use none if there are several: keep one of them.`
}

async function amiss(inspection: Inspection, reading: Reading, texts: readonly string[]): Promise<Finding> {
  const { resolver, wanted } = inspection
  const fault = firstOf(texts, (text) => diagnoseValue(text, reading))
  const alias = await diagnoseAlias(resolver, wanted.name)
  if (alias !== undefined) return unsatisfied('conflict', [`CNAME ${alias}`, ...texts], inTheWay(wanted.name, alias))
  if (fault !== undefined) return unsatisfied('mismatch', texts, fault)
  const problem = texts.length > 0 ? 'mismatch' : 'missing'
  return unsatisfied(problem, texts, await diagnosePlace(inspection, (name) => holds(inspection, reading, name)))
}

function inTheWay(name: string, alias: string): string {
  return (
    `${name} has a CNAME, which leads to ${printable(alias)}. The record is not there. A name with a CNAME can have ` +
    'no other record: remove the CNAME, or publish the record where it leads.'
  )
}

async function holds({ resolver }: Inspection, reading: Reading, name: string): Promise<boolean> {
  const meant = (await resolver.txt(name)).filter((text) => reading.isMeant(text))
  return !(reading.single && meant.length > 1) && meant.some((text) => reading.fault(text) === undefined)
}

/** The policy of the nearest parent that has one, up to the registered domain (RFC 9989, section 4.10). */
async function inheritedFrom({ resolver, wanted, domain }: Inspection, reading: Reading): Promise<string | undefined> {
  const label = wanted.name.slice(0, -domain.length)
  const registered = registeredDomain(domain)
  const parents = domain.split('.').map((_, index, labels) => labels.slice(index).join('.'))
  for (const parent of parents.filter((name) => name !== domain && name.endsWith(registered)).slice(-mostParents)) {
    const meant = (await resolver.txt(label + parent)).filter((text) => reading.isMeant(text))
    if (meant.length > 0) return meant.length === 1 && !reading.fault(meant[0] ?? '') ? meant[0] : undefined
  }
  return undefined
}

const mostParents = 7

function firstOf<T>(texts: readonly string[], of: (text: string) => T | undefined): T | undefined {
  for (const text of texts) {
    const found = of(text)
    if (found !== undefined) return found
  }
  return undefined
}
