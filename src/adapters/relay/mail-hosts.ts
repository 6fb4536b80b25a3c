import { isIP } from 'node:net'
import { LookupFailed } from '#/errors.ts'
import type { Resolver } from '#/ports/resolver.ts'
import { dnsName } from '#/text.ts'
import { isPublic } from './public-address.ts'
import { Trouble } from './trouble.ts'

/** A domain may name as many hosts as it likes; the first so many are asked. */
const mostHosts = 8
/** What a domain's DNS says is anybody's words. Underscores are wrong, and in use. */
const possibleHost = /^(?=.{1,253}$)[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/
/** Addresses of each family that are tried of one host. */
const mostAddresses = 2

/**
 * The hosts that take a domain's mail, in the order to try them (RFC 5321 5.1): by preference, in chance order among
 * equals; the domain itself where it names none. Where `own` is one of them, those that are not nearer to the goal are
 * left out, or mail would go in circles. Throws `Trouble`.
 */
export async function mailHosts(resolver: Resolver, domain: string, own: string): Promise<string[]> {
  const records = await answered(domain, resolver.mx(domain))
  if (records.length === 0) return [domain]
  const named = records.filter(({ exchange }) => exchange !== '' && exchange !== '.')
  if (named.length === 0) throw new Trouble('5.1.10', `The domain ${domain} takes no mail`)
  const hosts = named
    .map(({ exchange, priority }) => ({ host: dnsName(exchange), priority, chance: Math.random() }))
    .filter(({ host }) => possibleHost.test(host))
  if (hosts.length === 0) throw new Trouble('5.4.4', `The domain ${domain} names no mail host that could exist`)
  const ours = Math.min(...hosts.filter(({ host }) => host === dnsName(own)).map(({ priority }) => priority))
  const nearer = hosts.filter(({ priority }) => priority < ours)
  if (nearer.length === 0) throw new Trouble('5.4.6', `The mail of ${domain} leads back to us`)
  nearer.sort((one, other) => one.priority - other.priority || one.chance - other.chance)
  return [...new Set(nearer.map(({ host }) => host))].slice(0, mostHosts)
}

/** The addresses at which a host may be tried, IPv6 and IPv4 in turn. `allowPrivate`: also those that are not public.
 *  `itself`: the host is the domain that mail is for. Throws `Trouble` where there are none. */
export async function addressesOf(
  resolver: Resolver,
  host: string,
  allowPrivate: boolean,
  itself = false,
): Promise<string[]> {
  const families = await Promise.allSettled([resolver.aaaa(host), resolver.a(host)])
  const found = families.map((family) => (family.status === 'fulfilled' ? family.value.filter(isAddress) : []))
  if (found.flat().length === 0) {
    for (const family of families) if (family.status === 'rejected') await answered(host, Promise.reject(family.reason))
    if (itself) throw new Trouble('5.1.2', `There is no mail host for the domain ${host}`)
    throw new Trouble('5.4.4', `The mail host ${host} has no address`)
  }
  const [v6 = [], v4 = []] = found.map((family) => family.filter((address) => allowPrivate || isPublic(address)))
  if (v6.length + v4.length === 0)
    throw new Trouble(
      '5.4.4',
      `The mail host ${host} has no public address, and mail is not sent into private networks`,
    )
  return Array.from({ length: mostAddresses }, (_, at) => [v6[at], v4[at]].filter((one) => one !== undefined)).flat()
}

async function answered<T>(name: string, question: Promise<T>): Promise<T> {
  try {
    return await question
  } catch (error) {
    if (!(error instanceof LookupFailed)) throw error
    throw new Trouble('4.4.3', `Looking up ${name} in the DNS failed`, { cause: error })
  }
}

function isAddress(text: string): boolean {
  return isIP(text) !== 0
}
