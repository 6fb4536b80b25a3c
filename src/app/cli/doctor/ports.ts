import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { connect as connectTls } from 'node:tls'
import type { Config } from '#/app/config/config.ts'
import type { Listening } from '#/base/network/listening.ts'
import { type Finding, ok, problem } from './finding.ts'

const timeoutMs = 3_000

/** Checks that each listener's port is free, or that Mailroom answers there. */
export function portFindings(config: Config): Promise<Finding[]> {
  return Promise.all(listenersOf(config).map(portFinding))
}

/** Whether each listener of these roles answers. A listener on port 0 counts as answering: its port is unknown. */
export async function answersEverywhere(config: Config): Promise<boolean> {
  const answers = listenersOf(config).map(({ at, isOurs }) => at.port === 0 || isOurs(reachable(at)))
  return (await Promise.all(answers)).every((answer) => answer)
}

interface Listener {
  readonly check: string
  readonly at: Listening
  readonly variable: string
  /** The variable that names the address, if that is another. */
  readonly addressIn?: string
  /** Whether Mailroom answers there. */
  readonly isOurs: (at: Listening) => Promise<boolean>
}

function listenersOf(config: Config): Listener[] {
  const { host, http, smtp, lmtp, policy, hostname, roles } = config
  const addressIn = (at: Listening, variable: string) => (at.host === host ? 'HOST' : variable)
  const listeners = [...submissionOf(config), ...imapOf(config)]
  if (roles.has('api'))
    listeners.push({
      check: 'HTTP port',
      at: http,
      variable: 'PORT',
      addressIn: addressIn(http, 'PORT'),
      isOurs: speaksHttp,
    })
  if (roles.has('mx')) {
    const isOurs = greetsAs(hostname)
    const variable = 'MAILROOM_SMTP_PORT'
    listeners.push({ check: 'SMTP port', at: smtp, variable, addressIn: addressIn(smtp, variable), isOurs })
    if (lmtp) listeners.push({ check: 'LMTP port', at: lmtp, variable: 'MAILROOM_LMTP_PORT', isOurs })
    if (policy)
      listeners.push({ check: 'policy port', at: policy, variable: 'MAILROOM_POLICY_PORT', isOurs: judgesPolicy })
  }
  return listeners
}

function submissionOf({ submission, submissionTls, hostname, roles }: Config): Listener[] {
  if (!roles.has('submission')) return []
  const isOurs = greetsAs(hostname)
  const [starttls, tls] = ['MAILROOM_SUBMISSION_PORT', 'MAILROOM_SUBMISSION_TLS_PORT']
  return [
    ...(submission ? [{ check: 'submission port', at: submission, variable: starttls, isOurs }] : []),
    ...(submissionTls
      ? [
          {
            check: 'submission port (TLS)',
            at: submissionTls,
            variable: tls,
            isOurs: greetsAs(hostname, { tls: true }),
          },
        ]
      : []),
  ]
}

function imapOf({ imap, imapTls, host, hostname, roles }: Config): Listener[] {
  if (!roles.has('imap')) return []
  const greets = (tls: boolean) => async (at: Listening) => {
    return (await firstLine(at, { tls }))?.endsWith(`] ${hostname} is ready`) === true
  }
  const addressIn = (at: Listening, variable: string) => (at.host === host ? 'HOST' : variable)
  const [starttls, implicit] = ['MAILROOM_IMAP_PORT', 'MAILROOM_IMAPS_PORT']
  return [
    {
      ...{ check: 'IMAP port', at: imap, variable: starttls },
      ...{ addressIn: addressIn(imap, starttls), isOurs: greets(false) },
    },
    ...(imapTls
      ? [
          {
            ...{ check: 'IMAP port (TLS)', at: imapTls, variable: implicit },
            ...{ addressIn: addressIn(imapTls, implicit), isOurs: greets(true) },
          },
        ]
      : []),
  ]
}

function greetsAs(hostname: string, { tls = false } = {}): Listener['isOurs'] {
  return async (at) => (await firstLine(at, { tls }))?.startsWith(`220 ${hostname} `) === true
}

async function portFinding({ check, at, variable, addressIn = variable, isOurs }: Listener): Promise<Finding> {
  const where = `${at.port} at ${at.host}`
  if (at.port === 0) return ok(check, 'any free port')
  const code = await listenCode(at)
  // The service may have the right to listen there, and the caller of the doctor not.
  if ((code === 'EADDRINUSE' || code === 'EACCES') && (await isOurs(reachable(at))))
    return ok(check, `Mailroom answers on ${where}`)
  switch (code) {
    case undefined:
      return ok(check, `${where} is free`)
    case 'EADDRINUSE':
      return problem(check, `another program listens on ${where}`, `Stop it, or set ${variable} to another port`)
    case 'EACCES':
      return problem(
        check,
        `listening on ${where} requires root`,
        `Set ${variable} to a port above 1023 and redirect to it, or grant CAP_NET_BIND_SERVICE`,
      )
    default:
      return problem(check, `${at.host} is not an address of this machine`, `Set ${addressIn} to 127.0.0.1 or 0.0.0.0`)
  }
}

/** The addresses that mail is to leave from must be those of this machine. */
export async function mailSourceFindings({ mailSource: { ipv4, ipv6 } }: Config): Promise<Finding[]> {
  const check = 'outbound address'
  const named = [ipv4, ipv6].filter((host) => host !== undefined)
  return Promise.all(
    named.map(async (host) =>
      (await listenCode({ host, port: 0 })) === undefined
        ? ok(check, `${host} is an address of this machine`)
        : problem(
            check,
            `${host} is not an address of this machine`,
            'Set MAILROOM_OUTBOUND_ADDRESSES to addresses that `ip address` shows',
          ),
    ),
  )
}

/** The error code of listening there; undefined if it works. */
async function listenCode(at: Listening): Promise<string | undefined> {
  const server = createServer()
  try {
    await once(server.listen(at), 'listening')
    server.close()
    await once(server, 'close')
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown'
  }
}

async function speaksHttp({ host, port }: Listening): Promise<boolean> {
  try {
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}/healthz`
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) })
    return ((await response.json()) as { status?: unknown }).status === 'alive'
  } catch {
    return false
  }
}

/** Sends a policy request that needs no decision. */
async function judgesPolicy(at: Listening): Promise<boolean> {
  return (
    (await firstLine(at, { question: 'request=smtpd_access_policy\nprotocol_state=CONNECT\n\n' })) === 'action=DUNNO'
  )
}

/** The first line that the server sends, after `question` if there is one; undefined if it sends none. */
async function firstLine(at: Listening, { question = '', tls = false } = {}): Promise<string | undefined> {
  // The greeting says whether it is ours. Another check covers the certificate.
  const socket = tls ? connectTls({ ...at, rejectUnauthorized: false }) : connect(at)
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    await once(socket, tls ? 'secureConnect' : 'connect', { signal })
    socket.write(question)
    const [line] = await once(createInterface({ input: socket }), 'line', { signal })
    return line
  } catch {
    return undefined
  } finally {
    socket.destroy()
  }
}

/** Where to connect to a listener, also one on all addresses. */
function reachable({ host, port }: Listening): Listening {
  if (host === '0.0.0.0') return { host: '127.0.0.1', port }
  return { host: host === '::' ? '::1' : host, port }
}
