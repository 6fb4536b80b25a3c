import { dnsName } from '#/base/text/text.ts'
import { type Finding, type Inspection, satisfied, unsatisfied } from './finding.ts'

/** The host of the MTA-STS policy (RFC 8461, section 3.3): an alias of ours, or our addresses. */
export async function inspectPolicyHost({ resolver, wanted }: Inspection): Promise<Finding> {
  const aliases = await resolver.cname(wanted.name)
  if (aliases.some((alias) => dnsName(alias) === wanted.value)) return satisfied(aliases)
  const addresses = async (name: string) => (await Promise.all([resolver.a(name), resolver.aaaa(name)])).flat()
  const [there, ours] = await Promise.all([addresses(wanted.name), addresses(wanted.value)])
  if (there.length > 0 && there.every((address) => ours.includes(address))) return satisfied(there)
  const found = aliases.length > 0 ? aliases : there
  if (found.length > 0)
    return unsatisfied('mismatch', found, `${wanted.name} leads elsewhere: make it a CNAME of ${wanted.value}.`)
  return unsatisfied(
    'missing',
    [],
    `Senders that ask for a secure connection fetch the domain's policy from https://${wanted.name}: make it a CNAME of ` +
      `${wanted.value}, or leave MTA-STS out.`,
  )
}
