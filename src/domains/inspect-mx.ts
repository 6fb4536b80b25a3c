import { isIP } from 'node:net'
import { LookupFailed } from '#/errors.ts'
import { diagnoseAlias } from './diagnose-alias.ts'
import { diagnosePlace } from './diagnose-place.ts'
import { type Finding, type Inspection, printable, satisfied, unsatisfied } from './finding.ts'

interface Exchange {
  readonly exchange: string
  readonly priority: number
}

/** Whether mail to the domain comes here: our host is the one that senders try first (RFC 5321 5.1). Hosts that are tried
 *  later may stand beside it; one that is tried before it, or as often, gets the mail that we are to receive. */
export async function inspectMx(inspection: Inspection): Promise<Finding> {
  const { resolver, wanted } = inspection
  const exchanges = (await resolver.mx(wanted.name)).map(({ exchange, priority }) => {
    return { exchange: hostName(exchange), priority }
  })
  const found = exchanges.map(({ exchange, priority }) => `${priority} ${exchange || '.'}`)
  const ours = exchanges.find(({ exchange }) => exchange === wanted.value)
  if (ours) return among(ours, exchanges, found)
  if (exchanges.length > 0) return unsatisfied('mismatch', found, await whatElse(inspection, exchanges))
  const alias = await diagnoseAlias(resolver, wanted.name)
  if (alias !== undefined) return unsatisfied('conflict', [`CNAME ${alias}`], inTheWay(wanted.name, alias))
  const holds = async (name: string) =>
    (await resolver.mx(name)).some(({ exchange }) => hostName(exchange) === wanted.value)
  return unsatisfied('missing', [], await diagnosePlace(inspection, holds))
}

function among(ours: Exchange, exchanges: readonly Exchange[], found: readonly string[]): Finding {
  const others = exchanges.filter(({ exchange }) => exchange !== ours.exchange)
  const rivals = others.filter(({ priority }) => priority <= ours.priority)
  if (rivals.length > 0)
    return unsatisfied(
      'conflict',
      found,
      `Mail goes to ${names(rivals)} before or as often as to ${ours.exchange}: remove the other MX records, or give ` +
        `them a higher number than ${ours.priority}.`,
    )
  if (others.length === 0) return satisfied(found)
  return satisfied(
    found,
    `Mail goes to ${names(others)} while ${ours.exchange} can't be reached: remove the other MX records unless they ` +
      'pass it on.',
  )
}

/** What is wrong with MX records of which none is ours. */
async function whatElse({ resolver, wanted }: Inspection, exchanges: readonly Exchange[]): Promise<string> {
  const publish = `publish ${wanted.priority} ${wanted.value} instead.`
  if (exchanges.some(({ exchange }) => exchange === ''))
    return `A null MX says that the domain takes no mail: ${publish}`
  const address = exchanges.find(({ exchange }) => isIP(exchange) > 0)
  if (address) return `The MX points at an address, and has to point at a name: ${publish}`
  const doubled = exchanges.find(({ exchange }) => exchange.startsWith(`${wanted.value}.`))
  if (doubled)
    return (
      `The MX points at ${printable(doubled.exchange)}: the DNS provider has added the domain to the value. Enter ` +
      `${wanted.value}. with a dot at its end.`
    )
  for (const { exchange } of exchanges.slice(0, mostAliases)) {
    const alias = await diagnoseAlias(resolver, exchange).catch(unlessUnknown)
    if (alias !== undefined)
      return (
        `The MX points at ${printable(exchange)}, which is an alias (CNAME) of ${printable(alias)}; an MX has to point ` +
        `at the host itself: ${publish}`
      )
  }
  return `The MX points at ${names(exchanges)}: ${publish}`
}

const mostAliases = 5

/** Whatever hinders the explanation, the MX is another's. */
function unlessUnknown(error: unknown): undefined {
  if (!(error instanceof LookupFailed)) throw error
}

function inTheWay(name: string, alias: string): string {
  return (
    `A CNAME stands at ${name} and leads to ${printable(alias)}. A name with a CNAME can have no MX beside it: replace ` +
    'the CNAME by address records, which many DNS providers do by a type of their own (ALIAS, ANAME).'
  )
}

function names(exchanges: readonly Exchange[]): string {
  const shown = exchanges.slice(0, 3).map(({ exchange }) => printable(exchange))
  return shown.join(', ') + (exchanges.length > shown.length ? ' and others' : '')
}

function hostName(exchange: string): string {
  return exchange.toLowerCase().replace(/\.$/, '')
}
