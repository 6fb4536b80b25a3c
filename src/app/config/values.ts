import { isIPv4, isIPv6 } from 'node:net'
import type { Listening } from '#/base/network/listening.ts'
import { quote, Unusable } from './reader.ts'

/** Reads `24`, which listens on `defaultHost`, `10.0.0.5:24` or `[::]:24`. */
export function parseListening(text: string, defaultHost = '127.0.0.1'): Listening {
  const [, v6, v4, port = ''] = /^(?:\[([^\]]*)\]:|([\d.]+):)?(\d{1,5})$/.exec(text) ?? []
  const isAddress = v6 === undefined ? isIPv4(v4 ?? '127.0.0.1') : isIPv6(v6)
  if (isAddress && port !== '' && Number(port) <= 65_535) return { host: v6 ?? v4 ?? defaultHost, port: Number(port) }
  throw new Unusable(
    `is ${quote(text)}: set it to a port, which only programs on this machine reach, or to an address and a port, ` +
      'such as 10.0.0.5:24 or [::]:24',
  )
}

export function parseHost(text: string): string {
  if (!/^[0-9a-z:.%-]+$/i.test(text))
    throw new Unusable(
      `is ${quote(text)}: set it to the address to listen on, 127.0.0.1 for this machine alone or 0.0.0.0 for all`,
    )
  return text
}

/** RFC 1123, section 2.1: letters, digits and hyphens. */
const domainName = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/

export function parseHostname(text: string): string {
  const name = text.toLowerCase()
  if (!domainName.test(name) || /^[\d.]+$/.test(name))
    throw new Unusable(`is ${quote(text)}: set it to this mail host's name in DNS, such as mail.example.com`)
  return name
}

export function parsePath(text: string): string {
  if (text.includes('\0')) throw new Unusable('holds a NUL character: set it to a path')
  return text
}

export function parseSwitch(text: string): boolean {
  if (text === '1' || text === 'true') return true
  if (text === '0' || text === 'false') return false
  throw new Unusable(`is ${quote(text)}: set it to 1 or 0`)
}

export function parseOnOff(text: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on'
  throw new Unusable(`is ${quote(text)}: set it to on or off`)
}

export function parseAmbiguous(text: string): 'retry' | 'fail' {
  if (text === 'retry' || text === 'fail') return text
  throw new Unusable(
    `is ${quote(text)}: set it to retry (a message may arrive twice) or to fail (a message may not arrive)`,
  )
}

export function parseMegabytes(text: string): number {
  return wholeNumber(text, 'MiB', 1_048_576)
}

export function parseSeconds(text: string): number {
  return wholeNumber(text, 'seconds', 86_400)
}

function wholeNumber(text: string, unit: string, most: number): number {
  if (!/^\d{1,7}$/.test(text) || Number(text) < 1 || Number(text) > most)
    throw new Unusable(`is ${quote(text)}: set it to a whole number of ${unit}, from 1 to ${most}`)
  return Number(text)
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

export function parseLogLevel(text: string): LogLevel {
  const level = logLevels.find((one) => one === text.toLowerCase())
  if (!level) throw new Unusable(`is ${quote(text)}: set it to one of ${logLevels.join(', ')}`)
  return level
}

export function parseDnsServers(text: string): readonly string[] {
  const servers = text.split(',').map((server) => server.trim())
  const wrong = servers.find((server) => !isDnsServer(server))
  if (wrong !== undefined)
    throw new Unusable(
      `holds ${quote(wrong)}: set it to IP addresses separated by commas, each with a port if it is not 53: ` +
        '9.9.9.9,127.0.0.1:5353,[::1]:5353',
    )
  return servers
}

/** As node:dns has them: an address, an IPv4 address and a port, or an IPv6 address in brackets and a port. */
function isDnsServer(server: string): boolean {
  const [, v6, v4, port = '53'] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(server) ?? []
  const port16 = Number(port) > 0 && Number(port) <= 65_535
  return isIPv6(server) || (port16 && (isIPv6(v6 ?? '') || isIPv4(v4 ?? '')))
}

/** Names of variables that were set where another value is used in their place, separated by spaces. Blank for none. */
export function refuse(text: string): void {
  const names = text.split(' ').filter((name) => name !== '')
  if (names.length === 0) return
  throw new Unusable(
    `holds ${names.join(', ')}, which deploy/compose.yaml does not pass on: set it to nothing by removing these ` +
      'from deploy/.env, and from the environment of `docker compose`',
  )
}

/** Problems do not quote the value, which holds a password. */
export function parseDatabaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'postgres:' && url?.protocol !== 'postgresql:')
    throw new Unusable(
      'is not the URL of a PostgreSQL server: set it to postgres://user:password@host:5432/database, ' +
        'with special characters in the password written as %XX, or unset it for the embedded database',
    )
  return text
}

export function parseSecret(text: string): string {
  if (text.length < 32)
    throw new Unusable('is shorter than 32 characters: set it to the output of `openssl rand -hex 32`')
  return text
}
