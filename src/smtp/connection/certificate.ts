import { readFile } from 'node:fs/promises'
import { createSecureContext, type SecureContext } from 'node:tls'
import type { Logger } from 'pino'
import type { Clock } from '#/base/clock/clock.ts'

/** Paths of PEM files: a certificate with its chain, and its key. */
export interface CertificateFiles {
  readonly cert: string
  readonly key: string
}

/** Milliseconds between checks of the files. */
const everyMs = 60_000

/** The server's certificate. The files are read again, at most once a minute, when a client starts TLS, so a renewal takes
 *  effect within a minute. Unusable files, such as a new certificate with the old key, are logged once and ignored. */
export class Certificate {
  readonly #files: CertificateFiles
  readonly #clock: Clock
  readonly #log: Logger
  #context: SecureContext
  #pem: string
  /** Why the files are unusable. */
  #problem = ''
  #nextCheckAt: number

  private constructor(files: CertificateFiles, pem: Pem, clock: Clock, log: Logger) {
    this.#files = files
    this.#clock = clock
    this.#log = log
    this.#context = contextOf(pem)
    this.#pem = pem.join('')
    this.#nextCheckAt = clock.now() + everyMs
  }

  /** Rejects if the files are unusable. */
  static async open(files: CertificateFiles, clock: Clock, log: Logger): Promise<Certificate> {
    return new Certificate(files, await read(files), clock, log)
  }

  async context(): Promise<SecureContext> {
    const now = this.#clock.now()
    if (now >= this.#nextCheckAt) {
      this.#nextCheckAt = now + everyMs
      await this.#reload()
    }
    return this.#context
  }

  async #reload(): Promise<void> {
    try {
      const pem = await read(this.#files)
      const text = pem.join('')
      if (text !== this.#pem) {
        this.#context = contextOf(pem)
        this.#log.info('a new certificate is in use')
      }
      this.#pem = text
      this.#problem = ''
    } catch (error) {
      const { message } = error as Error
      if (message !== this.#problem)
        this.#log.error({ err: error }, 'the new certificate is unusable; the old one stays in use')
      this.#problem = message
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
