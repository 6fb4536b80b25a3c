import { ifLookupFails, LookupFailed } from '#/errors.ts'
import type { Resolver } from '#/ports/resolver.ts'
import { printable } from './finding.ts'

/**
 * What a name that lacks a record is an alias (CNAME) of, if that can be looked up.
 * @throws LookupFailed where aliases follow each other in a circle or beyond what name servers follow: then nobody can
 *   say what stands at their end
 */
export async function diagnoseAlias(resolver: Resolver, name: string): Promise<string | undefined> {
  const seen: string[] = []
  for (let next = await aliasOf(resolver, name); next !== undefined; next = await aliasOf(resolver, next)) {
    if (seen.push(next) > longestChain) throw new LookupFailed(name, 'servfail')
  }
  return seen[0]
}

/** What to do about an alias where such a record has to stand. */
export function noneBeside(name: string, alias: string, type: 'MX' | 'TXT'): string {
  return (
    `${name} has a CNAME, which leads to ${printable(alias)}. A name with a CNAME cannot have a ${type} record: ` +
    'replace the CNAME by address records, which many DNS providers do by a type of their own (ALIAS, ANAME).'
  )
}

/** As many aliases in a row as name servers commonly follow. */
const longestChain = 16

/** The look-up of an alias only explains: where it fails, there is no explanation. */
async function aliasOf(resolver: Resolver, name: string): Promise<string | undefined> {
  const [alias] = await resolver.cname(name).catch(ifLookupFails([]))
  return alias
}
