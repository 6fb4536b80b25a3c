import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import type { Config } from '#/app/config/config.ts'
import { type Finding, ok, problem, warning } from './finding.ts'
import { refusedToOwner } from './readable.ts'

const check = 'certificate'

/** Usual tools renew a certificate a month before it ends, so one that ends within so many milliseconds is late. */
const soon = 14 * 86_400_000

/** Checks the certificate: readable by the user of the service, with its key, valid now and for our name. */
export async function certificateFinding({ tls, hostname, dataDir }: Config, now = Date.now()): Promise<Finding> {
  if (!tls)
    return warning(check, 'none: STARTTLS is not offered', 'Set MAILROOM_TLS_CERT and MAILROOM_TLS_KEY to PEM files')
  try {
    const pem = await readFile(tls.cert, 'utf8')
    const own = new X509Certificate(pem)
    const key = createPrivateKey(await readFile(tls.key))
    if (!own.checkPrivateKey(key))
      return problem(check, `${tls.key} is not the key of ${tls.cert}`, 'Set both to the files of one certificate')
    const refused = await refusedToOwner([tls.cert, tls.key], dataDir)
    if (refused) return unreadable(refused)
    return timeFinding(own, issuersIn(pem), now) ?? nameFinding(own, hostname)
  } catch (error) {
    const { code, path, message } = error as NodeJS.ErrnoException
    if (code === 'EACCES' && path !== undefined) return unreadable({ path, user: userInfo().username })
    return problem(check, message, `Check ${tls.cert} and ${tls.key}`)
  }
}

function unreadable({ path, user }: { path: string; user: string }): Finding {
  const fix = `Let the user ${user}, who runs the service, read it and search the directories above it`
  return problem(check, `${path} cannot be read by the user ${user}`, fix)
}

/** Undefined if all are valid for longer. An issuer's that has ended is a warning only: clients may have another chain. */
function timeFinding(own: X509Certificate, issuers: readonly X509Certificate[], now: number): Finding | undefined {
  const renew = 'Renew the certificate, and find out why that did not happen automatically'
  const from = own.validFromDate
  if (from.getTime() > now) return problem(check, `is valid only from ${from.toISOString()}`, 'Set the clock, or wait')
  const until = own.validToDate
  if (until.getTime() <= now) return problem(check, `expired on ${until.toISOString()}`, renew)
  if (until.getTime() <= now + soon) return warning(check, `expires soon, on ${until.toISOString()}`, renew)
  const ending = issuers.find(({ validToDate }) => validToDate.getTime() <= now + soon)
  if (!ending) return undefined
  const end = ending.validToDate
  const [is, whose] = [end.getTime() <= now ? 'expired' : 'expires soon', ending.subject.replaceAll('\n', ', ')]
  return warning(check, `an issuer's certificate (${whose}) ${is}, on ${end.toISOString()}`, renew)
}

function nameFinding(own: X509Certificate, hostname: string): Finding {
  if (own.checkHost(hostname) === undefined)
    return warning(check, `is not for ${hostname}`, 'Get a certificate for the name in MAILROOM_HOSTNAME')
  return ok(check, `for ${hostname}, until ${own.validToDate.toISOString()}`)
}

/** All but the first. */
function issuersIn(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  return blocks.slice(1).map((block) => new X509Certificate(block))
}
