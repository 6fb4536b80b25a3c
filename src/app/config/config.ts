import type { Network } from '#/base/network/ip-address.ts'
import type { Listening, TlsFiles } from '#/base/network/listening.ts'
import type { MailSource, RelayServer } from '#/out/relay/servers.ts'
import type { SingleSignOn } from '#/people/identity-provider/single-sign-on.ts'
import { mailProgramProblems, readMailPrograms } from './mail-programs.ts'
import { mailSourceProblems, readMailSource } from './mail-source.ts'
import { parseTrustedProxies, parseWebhookNetworks } from './networks.ts'
import { parsePublicUrl } from './public-url.ts'
import { Reader } from './reader.ts'
import { parseRelayUrl } from './relay-url.ts'
import { parseRoles, type Role, roles } from './roles.ts'
import { readClientSecret, readSingleSignOn, singleSignOnProblems } from './single-sign-on.ts'
import { readTracing, type Sampling } from './tracing.ts'
import { unknownVariables } from './unknown.ts'
import {
  type LogLevel,
  parseAmbiguous,
  parseDatabaseUrl,
  parseDnsServers,
  parseHost,
  parseHostname,
  parseListening,
  parseLogLevel,
  parseMegabytes,
  parseOnOff,
  parsePath,
  parseSeconds,
  parseSecret,
  parseSwitch,
  refuse,
} from './values.ts'

/** The settings of a process. Only `readConfig` reads the environment, once. */
export interface Config {
  /** The roles of this process. */
  readonly roles: ReadonlySet<Role>
  /** The address on which HTTP, SMTP and submission listen where their own settings name none. */
  readonly host: string
  /** Where the API and the web app are served. */
  readonly http: Listening
  /** The origin under which clients reach the HTTP API; undefined if not set. */
  readonly publicUrl: string | undefined
  /** Reverse proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly Network[]
  /** Whether members may have passwords. Those of mailboxes are another matter. */
  readonly passwords: boolean
  /** A provider of OpenID Connect by which members sign in; undefined without one. */
  readonly singleSignOn: SingleSignOn | undefined
  /** Where mail arrives. */
  readonly smtp: Listening
  /** Where a trusted mail server in front of us delivers by LMTP; undefined for nowhere. */
  readonly lmtp: Listening | undefined
  /** The policy service, by which Postfix checks recipients. */
  readonly policy: Listening | undefined
  /** Where mail programs submit, with STARTTLS and with implicit TLS (RFC 8314); undefined for nowhere. */
  readonly submission: Listening | undefined
  readonly submissionTls: Listening | undefined
  /** Where mail programs read mail, with STARTTLS. */
  readonly imap: Listening
  /** The same with implicit TLS (RFC 8314); undefined for nowhere. */
  readonly imapTls: Listening | undefined
  /** Load balancers that begin each connection with a header of the PROXY protocol, which names the client. */
  readonly imapProxies: readonly Network[]
  /** Where Prometheus scrapes metrics; undefined for nowhere. */
  readonly metrics: Listening | undefined
  /** Which traces are sent to the collector that OpenTelemetry's own variables name; undefined for none. */
  readonly tracing: Sampling | undefined
  /** Our name in the SMTP greeting and in header fields that we add. */
  readonly hostname: string
  /** Holds the embedded database, the secret generated at first start and the CLI's socket. */
  readonly dataDir: string
  /** Whether the environment names the database, a server or a directory. */
  readonly namesDatabase: boolean
  /** Start although the database may lose committed transactions. */
  readonly allowUnsafeDatabase: boolean
  /** For STARTTLS and implicit TLS. */
  readonly tls: TlsFiles | undefined
  /** `address` or `address:port`; empty for those of the system. */
  readonly dnsServers: readonly string[]
  /** From the enrolment of a domain to the first check of its records. */
  readonly dnsFirstCheckSeconds: number
  /** Between the worker's rounds, which send scheduled messages. */
  readonly tickSeconds: number
  /** What to do with a message whose delivery is ambiguous. */
  readonly ambiguous: 'retry' | 'fail'
  /** From where mail leaves. */
  readonly mailSource: MailSource
  /** Mail may be delivered to hosts whose addresses are not public. */
  readonly allowPrivateMx: boolean
  /** Networks whose receivers of webhooks need not be public, nor use TLS. */
  readonly webhookNetworks: readonly Network[]
  readonly threadCacheBytes: number
  readonly logLevel: LogLevel
  /** NODE_ENV is `production`: no try-out is created. */
  readonly production: boolean
  /** Never logged, never printed. */
  readonly secrets: {
    /** A PostgreSQL server; undefined means the embedded database. */
    readonly databaseUrl: string | undefined
    /** The relay for all outgoing mail; undefined to deliver to each recipient's own mail host. */
    readonly relay: RelayServer | undefined
    /** Of this service at the provider of single sign-on; undefined if it needs none. */
    readonly clientSecret: string | undefined
    /** Undefined if the data directory holds it. */
    readonly secret: string | undefined
    /** The secret that `secret` replaces; undefined if there is none, or the data directory holds it. */
    readonly previousSecret: string | undefined
  }
  /** Sentences for the operator about settings that have no effect. */
  readonly warnings: readonly string[]
}

/** All faults of the environment, a sentence each. No sentence holds the value of a secret. */
export class ConfigError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/**
 * Reads the environment. An empty variable counts as not set.
 * @throws ConfigError with every problem at once
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const read = new Reader(env)
  read.value('MAILROOM_REFUSED', refuse)
  const host = read.value('HOST', parseHost) ?? '127.0.0.1'
  const onHost = (text: string) => parseListening(text, host)
  const tls = readTls(read)
  const config: Config = {
    roles: read.value('MAILROOM_ROLES', parseRoles) ?? new Set(roles),
    host,
    http: read.value('PORT', onHost) ?? { host, port: 8080 },
    publicUrl: read.value('MAILROOM_PUBLIC_URL', parsePublicUrl),
    trustedProxies: read.value('MAILROOM_TRUSTED_PROXIES', parseTrustedProxies) ?? [],
    passwords: read.value('MAILROOM_PASSWORDS', parseOnOff) ?? true,
    singleSignOn: readSingleSignOn(read),
    smtp: read.value('MAILROOM_SMTP_PORT', onHost) ?? { host, port: 2525 },
    lmtp: read.value('MAILROOM_LMTP_PORT', (text) => parseListening(text)),
    policy: read.value('MAILROOM_POLICY_PORT', (text) => parseListening(text)),
    ...readMailPrograms(read, host, { hasCertificate: tls !== undefined }),
    metrics: read.value('MAILROOM_METRICS_PORT', (text) => parseListening(text)),
    tracing: readTracing(read),
    hostname: read.value('MAILROOM_HOSTNAME', parseHostname) ?? 'localhost',
    dataDir: read.value('MAILROOM_DATA_DIR', parsePath) ?? './data',
    namesDatabase: read.isSet('DATABASE_URL') || read.isSet('MAILROOM_DATA_DIR'),
    allowUnsafeDatabase: read.value('MAILROOM_ALLOW_UNSAFE_DATABASE', parseSwitch) ?? false,
    tls,
    dnsServers: read.value('MAILROOM_DNS_SERVERS', parseDnsServers) ?? [],
    dnsFirstCheckSeconds: read.value('MAILROOM_DNS_FIRST_CHECK_SECONDS', parseSeconds) ?? 60,
    tickSeconds: read.value('MAILROOM_TICK_SECONDS', parseSeconds) ?? 300,
    ambiguous: read.value('MAILROOM_AMBIGUOUS', parseAmbiguous) ?? 'retry',
    mailSource: readMailSource(read),
    allowPrivateMx: read.value('MAILROOM_ALLOW_PRIVATE_MX', parseSwitch) ?? false,
    webhookNetworks: read.value('MAILROOM_WEBHOOK_NETWORKS', parseWebhookNetworks) ?? [],
    threadCacheBytes: (read.value('MAILROOM_THREAD_CACHE_MB', parseMegabytes) ?? 256) * 2 ** 20,
    logLevel: read.value('LOG_LEVEL', parseLogLevel) ?? 'info',
    production: read.value('NODE_ENV', (text) => text === 'production') ?? false,
    secrets: {
      databaseUrl: read.value('DATABASE_URL', parseDatabaseUrl),
      relay: read.value('MAILROOM_RELAY_URL', parseRelayUrl),
      clientSecret: readClientSecret(read),
      secret: read.value('MAILROOM_SECRET', parseSecret),
      previousSecret: read.value('MAILROOM_SECRET_PREVIOUS', parseSecret),
    },
    warnings: unknownVariables(env, read.known),
  }
  const problems = [...read.problems, ...contradictions(config, read)]
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

function readTls(read: Reader): Config['tls'] {
  const cert = read.value('MAILROOM_TLS_CERT', parsePath)
  const key = read.value('MAILROOM_TLS_KEY', parsePath)
  return cert !== undefined && key !== undefined ? { cert, key } : undefined
}

/** Faults of several variables together. */
function contradictions(config: Config, read: Reader): string[] {
  const { production, tls } = config
  const found = [...sharedPorts(config), ...mailProgramProblems(config, read), ...singleSignOnProblems(read)]
  found.push(...mailSourceProblems(config.mailSource))
  for (const [has, lacks] of [
    ['MAILROOM_TLS_CERT', 'MAILROOM_TLS_KEY'],
    ['MAILROOM_TLS_KEY', 'MAILROOM_TLS_CERT'],
  ] as const)
    if (!tls && read.isSet(has) && !read.isSet(lacks))
      found.push(`${lacks} is not set although ${has} is: set both, or neither to go without STARTTLS`)
  if (read.isSet('MAILROOM_SECRET_PREVIOUS') && !read.isSet('MAILROOM_SECRET'))
    found.push('MAILROOM_SECRET_PREVIOUS is set without MAILROOM_SECRET: set that to the secret which takes its place')
  if (production && read.isSet('DATABASE_URL') && !read.isSet('MAILROOM_SECRET'))
    found.push(
      'MAILROOM_SECRET is not set: every process on one database must have the same one; ' +
        'set it to the output of `openssl rand -hex 32`',
    )
  return found
}

function sharedPorts(config: Config): string[] {
  const { http, smtp, lmtp, policy, submission, submissionTls, imap, imapTls, metrics } = config
  const first = new Map<number, string>()
  return Object.entries({
    PORT: http.port,
    MAILROOM_SMTP_PORT: smtp.port,
    MAILROOM_LMTP_PORT: lmtp?.port ?? 0,
    MAILROOM_POLICY_PORT: policy?.port ?? 0,
    MAILROOM_SUBMISSION_PORT: submission?.port ?? 0,
    MAILROOM_SUBMISSION_TLS_PORT: submissionTls?.port ?? 0,
    MAILROOM_IMAP_PORT: imap.port,
    MAILROOM_IMAPS_PORT: imapTls?.port ?? 0,
    MAILROOM_METRICS_PORT: metrics?.port ?? 0,
  }).flatMap(([name, number]) => {
    const other = number === 0 ? undefined : first.get(number)
    first.set(number, name)
    return other === undefined ? [] : [`${other} and ${name} are both ${number}: give each a port of its own`]
  })
}
