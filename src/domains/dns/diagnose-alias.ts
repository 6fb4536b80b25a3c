import { ifLookupFails, LookupFailed } from '#/base/errors.ts'
import { longestAliasChain, type Resolver } from '#/base/network/resolver.ts'
import { printable } from './finding.ts'

/** The target of an alias (CNAME) at a name without the record, if it can be looked up. @throws LookupFailed if aliases form
 *  a circle or a longer chain than name servers follow: then the record is unknown */
export async function diagnoseAlias(resolver: Resolver, name: string): Promise<string | undefined> {
  const seen: string[] = []
  for (let next = await aliasOf(resolver, name); next !== undefined; next = await aliasOf(resolver, next)) {
    if (seen.push(next) > longestAliasChain) throw new LookupFailed(name, 'servfail')
  }
  return seen[0]
}

/** Advice for an alias at the place of such a record. */
export function noneBeside(name: string, alias: string, type: 'MX' | 'TXT'): string {
  return (
    `${name} has a CNAME, which leads to ${printable(alias)}. A name with a CNAME cannot have a ${type} record: ` +
    'replace the CNAME by address records, which many DNS providers do by a type of their own (ALIAS, ANAME).'
  )
}

/** The lookup of an alias only explains: if it fails, there is no explanation. */
async function aliasOf(resolver: Resolver, name: string): Promise<string | undefined> {
  const [alias] = await resolver.cname(name).catch(ifLookupFails([]))
  return alias
}
