import { isIP } from 'node:net'
import { LookupFailed } from '#/base/errors.ts'
import { isPublic } from '#/base/network/ip-address.ts'
import type { Resolver } from '#/base/network/resolver.ts'
import { dnsName } from '#/base/text/text.ts'
import type { MailSource } from '#/out/relay/servers.ts'
import { DeliveryFailure } from '../delivery-failure.ts'

/** Hosts that are tried of one domain. */
const mostHosts = 8
/** Names from the DNS are untrusted. Underscores are invalid, but in use. */
const possibleHost = /^(?=.{1,253}$)[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/
/** Addresses that are tried of one host, in each family. */
const mostAddresses = 2

/**
 * The mail hosts of a domain in the order to try them (RFC 5321, section 5.1): by preference, in random order among
 * equals; the domain itself without MX records. If `own` is among them, only hosts with a better preference remain, which
 * prevents loops. Throws `DeliveryFailure`.
 */
export async function mailHosts(resolver: Resolver, domain: string, own: string): Promise<string[]> {
  const records = await answered(domain, resolver.mx(domain))
  if (records.length === 0) return [domain]
  const named = records.filter(({ exchange }) => exchange !== '' && exchange !== '.')
  if (named.length === 0) throw new DeliveryFailure('5.1.10', `The domain ${domain} accepts no mail (null MX)`)
  const hosts = named
    .map(({ exchange, priority }) => ({ host: dnsName(exchange), priority, chance: Math.random() }))
    .filter(({ host }) => possibleHost.test(host))
  if (hosts.length === 0) throw new DeliveryFailure('5.4.4', `The domain ${domain} has no valid MX record`)
  const ours = Math.min(...hosts.filter(({ host }) => host === dnsName(own)).map(({ priority }) => priority))
  const nearer = hosts.filter(({ priority }) => priority < ours)
  if (nearer.length === 0) throw new DeliveryFailure('5.4.6', `The mail hosts of ${domain} loop back to this server`)
  nearer.sort((one, other) => one.priority - other.priority || one.chance - other.chance)
  return [...new Set(nearer.map(({ host }) => host))].slice(0, mostHosts)
}

/** In the order of the lookups. */
const families = [6, 4] as const

interface AddressOptions {
  readonly family: MailSource['family']
  /** Also those that are not public. */
  readonly allowPrivate: boolean
  /** The host is the recipient's domain. */
  readonly itself?: boolean
}

/** The addresses of a host, alternating IPv6 and IPv4. Throws `DeliveryFailure` if there are none. */
export async function addressesOf(
  resolver: Resolver,
  host: string,
  { family, allowPrivate, itself = false }: AddressOptions,
): Promise<string[]> {
  const answers = await Promise.allSettled([resolver.aaaa(host), resolver.a(host)])
  const found = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value.filter(isAddress) : []))
  const wanted = found.map((addresses, at) => (family === 'any' || family === families[at] ? addresses : []))
  if (wanted.flat().length === 0) {
    for (const answer of answers) if (answer.status === 'rejected') await answered(host, Promise.reject(answer.reason))
    if (found.flat().length > 0)
      throw new DeliveryFailure(
        '5.4.4',
        `The mail host ${host} has no IPv${family} address, and mail leaves by no other`,
      )
    if (itself) throw new DeliveryFailure('5.1.2', `There is no mail host for the domain ${host}`)
    throw new DeliveryFailure('5.4.4', `The mail host ${host} has no address`)
  }
  const [v6 = [], v4 = []] = wanted.map((addresses) => addresses.filter((one) => allowPrivate || isPublic(one)))
  if (v6.length + v4.length === 0)
    throw new DeliveryFailure(
      '5.4.4',
      `The mail host ${host} has no public address; mail is not sent to private networks`,
    )
  return Array.from({ length: mostAddresses }, (_, at) => [v6[at], v4[at]].filter((one) => one !== undefined)).flat()
}

async function answered<T>(name: string, question: Promise<T>): Promise<T> {
  try {
    return await question
  } catch (error) {
    if (!(error instanceof LookupFailed)) throw error
    throw new DeliveryFailure('4.4.3', `Looking up ${name} in the DNS failed`, { cause: error })
  }
}

function isAddress(text: string): boolean {
  return isIP(text) !== 0
}
