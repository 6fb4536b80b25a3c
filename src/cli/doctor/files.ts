import { createPrivateKey, X509Certificate } from 'node:crypto'
import { constants } from 'node:fs'
import { access, readFile, stat, statfs } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Config } from '#/config/config.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

const mebibyte = 2 ** 20

/** The data directory: there, ours alone, with room. */
export async function dataDirectoryFinding({ dataDir, secrets }: Config): Promise<Finding> {
  const check = 'data directory'
  const path = resolve(dataDir)
  const found = await stat(path).catch(codeOf)
  if (found === 'ENOENT') return ok(check, `${path} is not there yet; it is made when it is first needed`)
  if (typeof found === 'string') return problem(check, `${path} cannot be looked at: ${found}`, 'Give its owner access')
  if (!found.isDirectory()) return problem(check, `${path} is not a directory`, 'Set MAILROOM_DATA_DIR to one')
  const writable = await access(path, constants.W_OK | constants.X_OK).then(() => true, codeOf)
  if (writable !== true) return problem(check, `${path} cannot be written to`, 'Run as its owner, or change its owner')
  const { bavail, bsize } = await statfs(path)
  const free = Math.floor((bavail * bsize) / mebibyte)
  const room = `${path}, ${free} MiB free`
  if (free < 100) return problem(check, room, 'Make room: mail cannot be stored on a full disk')
  if (free < 1024) return warning(check, room, 'Make room before the disk is full')
  if ((found.mode & 0o077) !== 0 && secrets.databaseUrl === undefined)
    return warning(check, `${path} can be read by other users of this machine`, `chmod 700 ${path}`)
  return ok(check, room)
}

export async function secretFinding({ dataDir, secrets }: Config): Promise<Finding> {
  const check = 'secret'
  if (secrets.secret !== undefined) return ok(check, 'given by MAILROOM_SECRET')
  const path = resolve(dataDir, 'secret')
  const found = await stat(path).catch(codeOf)
  if (typeof found !== 'string' && (found.mode & 0o077) !== 0)
    return problem(check, `${path} can be read by other users of this machine`, `chmod 600 ${path}`)
  if (secrets.databaseUrl !== undefined)
    return warning(
      check,
      `MAILROOM_SECRET is not set; this process uses ${path}`,
      'Set it to the same text for every process on this database',
    )
  if (found === 'ENOENT') return ok(check, `${path} is made at the first start`)
  if (typeof found === 'string') return problem(check, `${path} cannot be read: ${found}`, 'Run as its owner')
  return ok(check, `kept in ${path}; back it up with the data`)
}

/** The certificate for STARTTLS: readable, with its key, in force, for our name. */
export async function certificateFinding({ tls, hostname }: Config): Promise<Finding> {
  const check = 'certificate'
  if (!tls)
    return warning(check, 'none: STARTTLS is not offered', 'Set MAILROOM_TLS_CERT and MAILROOM_TLS_KEY to PEM files')
  try {
    const certificate = new X509Certificate(await readFile(tls.cert))
    const key = createPrivateKey(await readFile(tls.key))
    const until = certificate.validToDate
    if (!certificate.checkPrivateKey(key))
      return problem(check, `${tls.key} is not the key of ${tls.cert}`, 'Set both to the files of one certificate')
    if (until.getTime() <= Date.now())
      return problem(check, `expired on ${until.toISOString()}`, 'Renew the certificate')
    if (certificate.checkHost(hostname) === undefined)
      return warning(check, `is not for ${hostname}`, 'Have a certificate made for the name in MAILROOM_HOSTNAME')
    return ok(check, `for ${hostname}, until ${until.toISOString()}`)
  } catch (error) {
    return problem(check, (error as Error).message, `Check ${tls.cert} and ${tls.key}`)
  }
}

/** Whether the embedded database was made in the directory. */
export function hasEmbeddedDatabase(dataDir: string): Promise<boolean> {
  return access(join(dataDir, 'database')).then(
    () => true,
    () => false,
  )
}

function codeOf(error: NodeJS.ErrnoException): string {
  return error.code ?? error.message
}
