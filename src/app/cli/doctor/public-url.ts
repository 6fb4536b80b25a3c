import type { Config } from '#/app/config/config.ts'
import { namedByRequest } from '#/http/openapi/serve.ts'
import { type Finding, ok, warning, whyUnreachable } from './finding.ts'

const check = 'public URL'
const patienceMs = 3_000

/** Whether this service answers at its public URL, as seen from this machine, and sees clients' own addresses behind a proxy. */
export async function publicUrlFindings({ publicUrl, trustedProxies, roles }: Config): Promise<Finding[]> {
  if (publicUrl === undefined) return []
  const url = new URL(publicUrl)
  const found = [url.protocol === 'http:' && !isOfThisMachine(url) ? unencrypted(publicUrl) : await lookAt(publicUrl)]
  // The API has no TLS of its own.
  if (url.protocol === 'https:' && trustedProxies.length === 0 && roles.has('api'))
    found.push(
      warning(
        'trusted proxies',
        `none, although a reverse proxy answers at ${publicUrl}: its clients count as one, in limits and in the log`,
        'Set MAILROOM_TRUSTED_PROXIES to the address by which the proxy reaches Mailroom, often loopback',
      ),
    )
  return found
}

function isOfThisMachine({ hostname }: URL): boolean {
  return /^(?:(?:.+\.)?localhost|127\.[\d.]+|\[::1\])$/.test(hostname)
}

function unencrypted(publicUrl: string): Finding {
  const fix = 'Put a reverse proxy with TLS in front, and set MAILROOM_PUBLIC_URL to its https:// URL'
  return warning(check, `${publicUrl} has no TLS: keys and mail can be read on the way`, fix)
}

async function lookAt(publicUrl: string): Promise<Finding> {
  try {
    const response = await fetch(`${publicUrl}/v1/openapi.json`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(patienceMs),
    })
    const body = await response.text()
    return judge(publicUrl, response, body)
  } catch (error) {
    const fix =
      'Check that the proxy runs and the name leads to it; some networks keep a machine from its own public address'
    return warning(check, `${publicUrl} cannot be reached from here: ${whyUnreachable(error)}`, fix)
  }
}

function judge(publicUrl: string, { status, headers }: Response, body: string): Finding {
  const location = headers.get('location')
  if (status >= 300 && status < 400 && location !== null)
    return warning(check, `${publicUrl} redirects to ${location}`, 'Set MAILROOM_PUBLIC_URL to where it leads')
  const named = firstServer(body)
  if (status !== 200 || named === undefined)
    return warning(
      check,
      `${publicUrl} answers with status ${status}, not as Mailroom does`,
      'Check that Mailroom runs, and that the proxy passes all paths on to PORT',
    )
  if (named.url !== publicUrl || named.description === namedByRequest)
    return warning(
      check,
      `at ${publicUrl} answers a Mailroom whose own public URL is ${named.description === namedByRequest ? 'not set' : named.url}`,
      'Restart it with this MAILROOM_PUBLIC_URL, or let the proxy lead to this one',
    )
  return ok(check, `Mailroom answers at ${publicUrl}`)
}

interface Server {
  readonly url?: string
  readonly description?: string
}

/** The first server of Mailroom's description of the API; undefined for any other text. */
function firstServer(text: string): Server | undefined {
  try {
    const { info, servers } = JSON.parse(text) as { info?: { title?: string }; servers?: Server[] }
    return info?.title === 'Mailroom' ? servers?.[0] : undefined
  } catch {
    return undefined
  }
}
