import { readFile } from 'node:fs/promises'
import { createSecureContext, type SecureContext } from 'node:tls'
import type { Logger } from 'pino'
import type { Clock } from '#/ports/clock.ts'

/** Paths of PEM files: a certificate, with those that lead to its issuer, and its key. */
export interface CertificateFiles {
  readonly cert: string
  readonly key: string
}

/** How often the files are looked at, in milliseconds. */
const everyMs = 60_000

/** The certificate that mail comes in under. A renewed one is in use within a minute, whichever way its files were
 *  replaced: they are read again, by name, when a client asks for TLS. What cannot be used, such as a certificate
 *  whose key is yet to follow, changes nothing and is logged once. */
export class Certificate {
  readonly #files: CertificateFiles
  readonly #clock: Clock
  readonly #log: Logger
  #context: SecureContext
  #pem: string
  /** Why the files cannot be used. */
  #trouble = ''
  #lookAgainAt: number

  private constructor(files: CertificateFiles, pem: Pem, clock: Clock, log: Logger) {
    this.#files = files
    this.#clock = clock
    this.#log = log
    this.#context = contextOf(pem)
    this.#pem = pem.join('')
    this.#lookAgainAt = clock.now() + everyMs
  }

  /** Rejects where the files cannot be used. */
  static async open(files: CertificateFiles, clock: Clock, log: Logger): Promise<Certificate> {
    return new Certificate(files, await read(files), clock, log)
  }

  /** For a client that connects now. */
  async context(): Promise<SecureContext> {
    const now = this.#clock.now()
    if (now >= this.#lookAgainAt) {
      this.#lookAgainAt = now + everyMs
      await this.#look()
    }
    return this.#context
  }

  async #look(): Promise<void> {
    try {
      const pem = await read(this.#files)
      const text = pem.join('')
      if (text !== this.#pem) {
        this.#context = contextOf(pem)
        this.#log.info('a new certificate is in use')
      }
      this.#pem = text
      this.#trouble = ''
    } catch (error) {
      const { message } = error as Error
      if (message !== this.#trouble)
        this.#log.error({ err: error }, 'the new certificate cannot be used; the old one is')
      this.#trouble = message
    }
  }
}

type Pem = readonly [cert: string, key: string]

async function read({ cert, key }: CertificateFiles): Promise<Pem> {
  return [await readFile(cert, 'utf8'), await readFile(key, 'utf8')]
}

function contextOf([cert, key]: Pem): SecureContext {
  return createSecureContext({ cert, key, minVersion: 'TLSv1.2' })
}
