import { isIP } from 'node:net'
import { ifLookupFails } from '#/base/errors.ts'
import { dnsName } from '#/base/text/text.ts'
import { diagnoseAlias, noneBeside } from './diagnose-alias.ts'
import { diagnosePlace } from './diagnose-place.ts'
import { type Finding, type Inspection, printable, satisfied, unsatisfied } from './finding.ts'

interface Exchange {
  readonly exchange: string
  readonly priority: number
}

/** Whether mail to the domain reaches us: our host is one of its mail hosts. A host before ours may be a filter, one after
 *  it a backup, so other hosts are no fault; `fix` says what happens to the mail if they are unintended. */
export async function inspectMx(inspection: Inspection): Promise<Finding> {
  const { resolver, wanted } = inspection
  const exchanges = (await resolver.mx(wanted.name)).map(({ exchange, priority }) => {
    return { exchange: dnsName(exchange), priority }
  })
  const found = exchanges.map(({ exchange, priority }) => `${priority} ${exchange || '.'}`)
  const ours = exchanges.find(({ exchange }) => exchange === wanted.value)
  if (ours) return among(ours, exchanges, found)
  if (exchanges.length > 0) return unsatisfied('mismatch', found, await whatElse(inspection, exchanges))
  const alias = await diagnoseAlias(resolver, wanted.name)
  if (alias !== undefined) return unsatisfied('conflict', [`CNAME ${alias}`], noneBeside(wanted.name, alias, 'MX'))
  const holds = async (name: string) =>
    (await resolver.mx(name)).some(({ exchange }) => dnsName(exchange) === wanted.value)
  return unsatisfied('missing', [], await diagnosePlace(inspection, holds))
}

function among(ours: Exchange, exchanges: readonly Exchange[], found: readonly string[]): Finding {
  const others = exchanges.filter(({ exchange }) => exchange !== ours.exchange)
  const first = others.filter(({ priority }) => priority <= ours.priority)
  if (others.length === 0) return satisfied(found)
  const where =
    first.length > 0
      ? `Mail goes to ${names(first)} before or as often as to ${ours.exchange}`
      : `Mail goes to ${names(others)} while ${ours.exchange} can't be reached`
  return satisfied(found, `${where}: remove the other MX records unless those hosts pass it on.`)
}

/** Why MX records do not name this host. */
async function whatElse({ resolver, wanted }: Inspection, exchanges: readonly Exchange[]): Promise<string> {
  const publish = `publish ${wanted.priority} ${wanted.value} instead.`
  if (exchanges.some(({ exchange }) => exchange === ''))
    return `A null MX says that the domain accepts no mail: ${publish}`
  const address = exchanges.find(({ exchange }) => isIP(exchange) > 0)
  if (address) return `The MX points at an address; it must point at a name: ${publish}`
  const doubled = exchanges.find(({ exchange }) => exchange.startsWith(`${wanted.value}.`))
  if (doubled)
    return (
      `The MX points at ${printable(doubled.exchange)}: the DNS provider has added the domain to the value. Enter ` +
      `${wanted.value}. with a dot at its end.`
    )
  for (const { exchange } of exchanges.slice(0, mostAliases)) {
    // Whatever prevents the explanation, the MX is not ours.
    const alias = await diagnoseAlias(resolver, exchange).catch(ifLookupFails(undefined))
    if (alias !== undefined)
      return (
        `The MX points at ${printable(exchange)}, which is an alias (CNAME) of ${printable(alias)}; an MX must point ` +
        `at the host itself: ${publish}`
      )
  }
  return `The MX points at ${names(exchanges)}: ${publish}`
}

const mostAliases = 5

function names(exchanges: readonly Exchange[]): string {
  const shown = exchanges.slice(0, 3).map(({ exchange }) => printable(exchange))
  return shown.join(', ') + (exchanges.length > shown.length ? ' and others' : '')
}
