import { Resolver } from 'node:dns/promises'
import type { Config } from '#/app/config/config.ts'
import { tryoutDomain } from '#/domains/name.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** Looks up our own name in DNS. Not with the service's resolver, which in a try-out invents names. */
export async function hostNameFinding({ hostname, dnsServers }: Config): Promise<Finding> {
  const check = 'host name'
  if (isMadeUp(hostname))
    return warning(
      check,
      `"${hostname}" does not exist for other mail servers: MAILROOM_HOSTNAME is not set to a name in DNS`,
      "Set MAILROOM_HOSTNAME to this machine's name in DNS, as your MX records name it",
    )
  const { addresses, failure } = await lookUp(hostname, dnsServers)
  if (addresses.length > 0) return ok(check, `${hostname} is ${addresses.join(', ')}`)
  if (failure !== undefined)
    return problem(
      check,
      `${hostname} could not be looked up: ${failure}`,
      'Check MAILROOM_DNS_SERVERS and the network: without DNS mail is not checked, and waits',
    )
  return problem(
    check,
    `${hostname} has no address in DNS`,
    'Publish an A or AAAA record for it, or set MAILROOM_HOSTNAME to a name that has one',
  )
}

/** The default name, and that of a try-out. */
export function isMadeUp(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith(`.${tryoutDomain}`)
}

const absent: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA'])

export async function lookUp(name: string, servers: readonly string[]) {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  if (servers.length > 0) resolver.setServers(servers)
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  const codes = answers.flatMap((answer) => (answer.status === 'rejected' ? [String(answer.reason.code)] : []))
  return { addresses, failure: codes.find((code) => !absent.has(code)) }
}
