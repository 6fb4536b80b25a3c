import { isIPv4, isIPv6 } from 'node:net'
import { type ImapServer, parseImapUrl, UnusableImapUrl } from '#/imap-url.ts'
import { parseRelayUrl, type RelayServer, UnusableRelayUrl } from '#/relay-url.ts'

/** What an installation is set to. Made from the environment alone, once, by `readConfig`; nothing else reads it. */
export interface Config {
  /** What `serve` does in this process. */
  readonly roles: ReadonlySet<Role>
  /** The address on which HTTP and SMTP listen. */
  readonly host: string
  /** Port of the HTTP API; 0 lets the system choose. */
  readonly port: number
  readonly smtpPort: number
  /** For a mail server in front of us, which is believed: where mail comes by LMTP; undefined for nowhere. */
  readonly lmtp: Listening | undefined
  /** Where Postfix asks what we would refuse. */
  readonly policy: Listening | undefined
  /** Where Prometheus reads what is counted; undefined for nowhere. */
  readonly metrics: Listening | undefined
  /** The name that this mail host calls itself by, in its SMTP greeting and in what it adds to messages. */
  readonly hostname: string
  /** Holds the embedded database, the secret made at first start and the CLI's socket. */
  readonly dataDir: string
  /** Start although the database may lose what it has confirmed. */
  readonly allowUnsafeDatabase: boolean
  /** Paths of PEM files, for STARTTLS. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined
  /** `address` or `address:port`; empty for the system's own. */
  readonly dnsServers: readonly string[]
  /** From the enrolment of a domain to the first look at its records. */
  readonly dnsFirstCheckSeconds: number
  /** Between the worker's rounds, in which what was scheduled is sent. */
  readonly tickSeconds: number
  /** What becomes of a message that was sent up to its last octet, to which no reply came. */
  readonly ambiguous: 'retry' | 'fail'
  /** Mail may be delivered to hosts whose addresses are not public. */
  readonly allowPrivateMx: boolean
  readonly threadCacheBytes: number
  /** How much mail may wait for the IMAP server. */
  readonly spoolBytes: number
  readonly logLevel: LogLevel
  /** NODE_ENV is `production`: no try-out is made. */
  readonly production: boolean
  /** Never logged, never printed. */
  readonly secrets: {
    /** A PostgreSQL server; undefined means the embedded database. */
    readonly databaseUrl: string | undefined
    /** Where mail lives; undefined for the database. */
    readonly imap: ImapServer | undefined
    /** Takes all mail that leaves; undefined to deliver to each recipient's own mail host. */
    readonly relay: RelayServer | undefined
    /** Undefined where the data directory holds it. */
    readonly secret: string | undefined
  }
  /** Sentences for whoever starts the server: what was set and has no effect. */
  readonly warnings: readonly string[]
}

/** An address and a port; 0 lets the system choose. */
export interface Listening {
  readonly host: string
  readonly port: number
}

const roles = ['api', 'mx', 'worker'] as const
export type Role = (typeof roles)[number]

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
type LogLevel = (typeof logLevels)[number]

/** Everything that is wrong with the environment, a sentence for each. No sentence holds the value of a secret. */
export class ConfigError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/**
 * Reads the environment. A variable that is set to the empty string counts as not set.
 * @throws ConfigError with every problem at once
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const read = new Reader(env)
  const config: Config = {
    roles: read.value('MAILROOM_ROLES', parseRoles) ?? new Set(roles),
    host: read.value('HOST', parseHost) ?? '127.0.0.1',
    port: read.value('PORT', parsePort) ?? 8080,
    smtpPort: read.value('MAILROOM_SMTP_PORT', parsePort) ?? 2525,
    lmtp: read.value('MAILROOM_LMTP_PORT', parseListening),
    policy: read.value('MAILROOM_POLICY_PORT', parseListening),
    metrics: read.value('MAILROOM_METRICS_PORT', parseListening),
    hostname: read.value('MAILROOM_HOSTNAME', parseHostname) ?? 'localhost',
    dataDir: read.value('MAILROOM_DATA_DIR', parsePath) ?? './data',
    allowUnsafeDatabase: read.value('MAILROOM_ALLOW_UNSAFE_DATABASE', parseSwitch) ?? false,
    tls: readTls(read),
    dnsServers: read.value('MAILROOM_DNS_SERVERS', parseDnsServers) ?? [],
    dnsFirstCheckSeconds: read.value('MAILROOM_DNS_FIRST_CHECK_SECONDS', parseSeconds) ?? 60,
    tickSeconds: read.value('MAILROOM_TICK_SECONDS', parseSeconds) ?? 300,
    ambiguous: read.value('MAILROOM_AMBIGUOUS', parseAmbiguous) ?? 'retry',
    allowPrivateMx: read.value('MAILROOM_ALLOW_PRIVATE_MX', parseSwitch) ?? false,
    threadCacheBytes: (read.value('MAILROOM_THREAD_CACHE_MB', parseMegabytes) ?? 256) * 2 ** 20,
    spoolBytes: (read.value('MAILROOM_SPOOL_MB', parseMegabytes) ?? 1_024) * 2 ** 20,
    logLevel: read.value('LOG_LEVEL', parseLogLevel) ?? 'info',
    production: read.value('NODE_ENV', (text) => text === 'production') ?? false,
    secrets: {
      databaseUrl: read.value('DATABASE_URL', parseDatabaseUrl),
      imap: read.value('MAILROOM_IMAP_URL', parseImapUrl),
      relay: read.value('MAILROOM_RELAY_URL', parseRelayUrl),
      secret: read.value('MAILROOM_SECRET', parseSecret),
    },
    warnings: unknownVariables(env, read.known),
  }
  const problems = [...read.problems, ...contradictions(config, read)]
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

/** `api,mx` as a set; undefined for anything else. Also what `serve --roles` takes. */
export function rolesIn(text: string): ReadonlySet<Role> | undefined {
  const words = text.split(',').map((word) => word.trim())
  return words.every(isRole) ? new Set(words) : undefined
}

/** What is wrong with a value and what to do; follows the variable's name in a sentence. */
class Unusable extends Error {}

const unusable = [Unusable, UnusableRelayUrl, UnusableImapUrl]

class Reader {
  readonly problems: string[] = []
  readonly known = new Set<string>()
  readonly #env: Readonly<Record<string, string | undefined>>

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#env = env
  }

  /** Undefined where the variable is not set, or is unusable, which is noted. */
  value<T>(name: string, parse: (text: string) => T): T | undefined {
    this.known.add(name)
    const text = this.#env[name]
    if (text === undefined || text === '') return undefined
    try {
      return parse(text)
    } catch (problem) {
      if (!unusable.some((kind) => problem instanceof kind)) throw problem
      this.problems.push(`${name} ${(problem as Error).message}`)
      return undefined
    }
  }

  isSet(name: string): boolean {
    return (this.#env[name] ?? '') !== ''
  }
}

function readTls(read: Reader): Config['tls'] {
  const cert = read.value('MAILROOM_TLS_CERT', parsePath)
  const key = read.value('MAILROOM_TLS_KEY', parsePath)
  return cert !== undefined && key !== undefined ? { cert, key } : undefined
}

/** What no variable shows by itself. */
function contradictions(config: Config, read: Reader): string[] {
  const { production, tls } = config
  const found = sharedPorts(config)
  for (const [has, lacks] of [
    ['MAILROOM_TLS_CERT', 'MAILROOM_TLS_KEY'],
    ['MAILROOM_TLS_KEY', 'MAILROOM_TLS_CERT'],
  ] as const)
    if (!tls && read.isSet(has) && !read.isSet(lacks))
      found.push(`${lacks} is not set although ${has} is: set both, or neither to go without STARTTLS`)
  if (production && read.isSet('DATABASE_URL') && !read.isSet('MAILROOM_SECRET'))
    found.push(
      'MAILROOM_SECRET is not set: every process on one database must have the same one; ' +
        'set it to the output of `openssl rand -hex 32`',
    )
  return found
}

function sharedPorts({ port, smtpPort, lmtp, policy, metrics }: Config): string[] {
  const first = new Map<number, string>()
  return Object.entries({
    PORT: port,
    MAILROOM_SMTP_PORT: smtpPort,
    MAILROOM_LMTP_PORT: lmtp?.port ?? 0,
    MAILROOM_POLICY_PORT: policy?.port ?? 0,
    MAILROOM_METRICS_PORT: metrics?.port ?? 0,
  }).flatMap(([name, number]) => {
    const other = number === 0 ? undefined : first.get(number)
    first.set(number, name)
    return other === undefined ? [] : [`${other} and ${name} are both ${number}: give each a port of its own`]
  })
}

function isRole(word: string): word is Role {
  return (roles as readonly string[]).includes(word)
}

function parseRoles(text: string): ReadonlySet<Role> {
  const wanted = rolesIn(text)
  if (!wanted)
    throw new Unusable(`is ${quote(text)}: set it to one or more of ${roles.join(', ')}, separated by commas`)
  return wanted
}

function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new Unusable(`is ${quote(text)}: set it to a port, a number from 1 to 65535, or to 0 for any free one`)
  return Number(text)
}

/** `24` at this machine alone, `10.0.0.5:24`, `[::]:24`. */
function parseListening(text: string): Listening {
  const [, v6, v4, port = ''] = /^(?:\[([^\]]*)\]:|([\d.]+):)?(\d{1,5})$/.exec(text) ?? []
  const isAddress = v6 === undefined ? isIPv4(v4 ?? '127.0.0.1') : isIPv6(v6)
  if (isAddress && port !== '' && Number(port) <= 65_535) return { host: v6 ?? v4 ?? '127.0.0.1', port: Number(port) }
  throw new Unusable(
    `is ${quote(text)}: set it to a port, which only programs on this machine reach, or to an address and a port, ` +
      'such as 10.0.0.5:24 or [::]:24',
  )
}

function parseHost(text: string): string {
  if (!/^[0-9a-z:.%-]+$/i.test(text))
    throw new Unusable(
      `is ${quote(text)}: set it to the address to listen on, 127.0.0.1 for this machine alone or 0.0.0.0 for all`,
    )
  return text
}

/** RFC 1123 2.1: letters, digits and hyphens. */
const domainName = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/

function parseHostname(text: string): string {
  const name = text.toLowerCase()
  if (!domainName.test(name) || /^[\d.]+$/.test(name))
    throw new Unusable(`is ${quote(text)}: set it to this mail host's name in DNS, such as mail.example.com`)
  return name
}

function parsePath(text: string): string {
  if (text.includes('\0')) throw new Unusable('holds a NUL character: set it to a path')
  return text
}

function parseSwitch(text: string): boolean {
  if (text === '1' || text === 'true') return true
  if (text === '0' || text === 'false') return false
  throw new Unusable(`is ${quote(text)}: set it to 1 or 0`)
}

function parseAmbiguous(text: string): 'retry' | 'fail' {
  if (text === 'retry' || text === 'fail') return text
  throw new Unusable(
    `is ${quote(text)}: set it to retry, by which a message may arrive twice, or to fail, by which it may not arrive`,
  )
}

function parseMegabytes(text: string): number {
  if (!/^\d{1,7}$/.test(text) || Number(text) < 1 || Number(text) > 1_048_576)
    throw new Unusable(`is ${quote(text)}: set it to a whole number of MiB, from 1 to 1048576`)
  return Number(text)
}

function parseSeconds(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) < 1 || Number(text) > 86_400)
    throw new Unusable(`is ${quote(text)}: set it to a whole number of seconds, from 1 to 86400`)
  return Number(text)
}

function parseLogLevel(text: string): LogLevel {
  const level = logLevels.find((one) => one === text.toLowerCase())
  if (!level) throw new Unusable(`is ${quote(text)}: set it to one of ${logLevels.join(', ')}`)
  return level
}

function parseDnsServers(text: string): readonly string[] {
  const servers = text.split(',').map((server) => server.trim())
  const wrong = servers.find((server) => !isDnsServer(server))
  if (wrong !== undefined)
    throw new Unusable(
      `holds ${quote(wrong)}: set it to IP addresses separated by commas, each with a port if it is not 53: ` +
        '9.9.9.9,127.0.0.1:5353,[::1]:5353',
    )
  return servers
}

/** As node:dns takes them: an address, an IPv4 address and a port, or an IPv6 address in brackets and a port. */
function isDnsServer(server: string): boolean {
  const [, v6, v4, port = '53'] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(server) ?? []
  const port16 = Number(port) > 0 && Number(port) <= 65_535
  return isIPv6(server) || (port16 && (isIPv6(v6 ?? '') || isIPv4(v4 ?? '')))
}

/** The value holds a password: no problem quotes it. */
function parseDatabaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'postgres:' && url?.protocol !== 'postgresql:')
    throw new Unusable(
      'is not the URL of a PostgreSQL server: set it to postgres://user:password@host:5432/database, ' +
        'with special characters in the password written as %XX, or unset it for the embedded database',
    )
  return text
}

function parseSecret(text: string): string {
  if (text.length < 32)
    throw new Unusable('is shorter than 32 characters: set it to the output of `openssl rand -hex 32`')
  return text
}

function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}

/** A misspelt variable has no effect, which nobody notices by themselves. */
function unknownVariables(env: Readonly<Record<string, string | undefined>>, known: ReadonlySet<string>): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('MAILROOM_') && !known.has(name))
    .sort()
    .map((name) => `${name} is not a variable of Mailroom and has no effect; did you mean ${nearest(name, known)}?`)
}

/** The known name that the fewest insertions, deletions and substitutions lead to. */
function nearest(name: string, known: ReadonlySet<string>): string {
  const [best = ''] = [...known].sort((one, other) => distance(name, one) - distance(name, other))
  return best
}

function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (const [line, letter] of [...from].entries()) {
    const next = [line + 1]
    for (const [column, other] of [...to].entries())
      next.push(
        Math.min((row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1, (row[column] ?? 0) + (letter === other ? 0 : 1)),
      )
    row = next
  }
  return row[to.length] ?? 0
}
