import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { createInterface } from 'node:readline'
import type { Config } from '#/config/config.ts'
import { type Finding, ok, problem } from './finding.ts'

const patienceMs = 3_000

/** Whether each listener's port is free, or answers as Mailroom does. */
export function portFindings({ host, port, smtpPort, lmtp, policy, hostname, roles }: Config): Promise<Finding[]> {
  const findings: Promise<Finding>[] = []
  const http = { at: { host, port }, variable: 'PORT', addressIn: 'HOST' }
  if (roles.has('api')) findings.push(portFinding('HTTP port', http, speaksHttp))
  if (roles.has('mx')) {
    const greetsAsUs = async (at: Endpoint) => (await firstLine(at))?.startsWith(`220 ${hostname} `) === true
    const smtp = { at: { host, port: smtpPort }, variable: 'MAILROOM_SMTP_PORT', addressIn: 'HOST' }
    findings.push(portFinding('SMTP port', smtp, greetsAsUs))
    if (lmtp) findings.push(portFinding('LMTP port', { at: lmtp, variable: 'MAILROOM_LMTP_PORT' }, greetsAsUs))
    if (policy)
      findings.push(portFinding('policy port', { at: policy, variable: 'MAILROOM_POLICY_PORT' }, judgesPolicy))
  }
  return Promise.all(findings)
}

interface Endpoint {
  readonly host: string
  readonly port: number
}

async function portFinding(
  check: string,
  { at, variable, addressIn = variable }: { at: Endpoint; variable: string; addressIn?: string },
  isOurs: (at: Endpoint) => Promise<boolean>,
): Promise<Finding> {
  const where = `${at.port} at ${at.host}`
  if (at.port === 0) return ok(check, 'any free one')
  switch (await listenCode(at)) {
    case undefined:
      return ok(check, `${where} is free`)
    case 'EADDRINUSE':
      return (await isOurs({ ...at, host: reachable(at.host) }))
        ? ok(check, `Mailroom answers on ${where}`)
        : problem(check, `another program listens on ${where}`, `Stop it, or set ${variable} to another port`)
    case 'EACCES':
      return problem(
        check,
        `only root may listen on ${where}`,
        `Set ${variable} to a port above 1023 and redirect to it, or grant CAP_NET_BIND_SERVICE`,
      )
    default:
      return problem(check, `${at.host} is not an address of this machine`, `Set ${addressIn} to 127.0.0.1 or 0.0.0.0`)
  }
}

/** The error code that listening there gives; undefined where it is possible. */
async function listenCode(at: Endpoint): Promise<string | undefined> {
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

async function speaksHttp({ host, port }: Endpoint): Promise<boolean> {
  try {
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}/healthz`
    const response = await fetch(url, { signal: AbortSignal.timeout(patienceMs) })
    return ((await response.json()) as { status?: unknown }).status === 'alive'
  } catch {
    return false
  }
}

/** Whether it answers what asks for no judgement. */
async function judgesPolicy(at: Endpoint): Promise<boolean> {
  return (await firstLine(at, 'request=smtpd_access_policy\nprotocol_state=CONNECT\n\n')) === 'action=DUNNO'
}

/** What is said there first, or in answer to `question`; undefined where nothing is. */
async function firstLine(at: Endpoint, question = ''): Promise<string | undefined> {
  const socket = connect(at)
  try {
    const signal = AbortSignal.timeout(patienceMs)
    await once(socket, 'connect', { signal })
    socket.write(question)
    const [line] = await once(createInterface({ input: socket }), 'line', { signal })
    return line
  } catch {
    return undefined
  } finally {
    socket.destroy()
  }
}

/** An address to connect to where the listener takes any. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  return host === '::' ? '::1' : host
}
