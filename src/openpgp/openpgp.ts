import { Worker } from 'node:worker_threads'
import { invalid } from '#/errors.ts'
import type { Plain } from './encrypt.ts'
import type { Outcome, Task } from './thread.ts'

/** An OpenPGP certificate that mail can be encrypted to. */
export interface Certificate {
  readonly armored: string
  /** As of when it is used, whatever becomes of it later. */
  readonly usableAt: Date
}

/** How long a task may take, with those before it (milliseconds). Encrypting 25 MiB takes half a second. */
const usualPatience = { check: 10_000, enclose: 120_000 }

/** OpenPGP (RFC 9580) in threads of its own, which their first tasks start: no certificate and no message holds the event
 *  loop. Each does one thing after the other, so that its memory is bounded; certificates, which strangers make, have
 *  their own, so that one made to be slow keeps no mail waiting. */
export class OpenPgp implements AsyncDisposable {
  readonly #patience: typeof usualPatience
  readonly #threads = new Map<keyof typeof usualPatience, Thread>()

  constructor(patience: Partial<typeof usualPatience> = {}) {
    this.#patience = { ...usualPatience, ...patience }
  }

  /** Makes sure that mail can be encrypted to a certificate that somebody gave in the field `public_key`.
   *  @throws Refusal that names what is wrong with it */
  async certificate(armored: string, now: Date): Promise<Certificate> {
    const outcome = await this.#run('check', { check: { certificate: armored, now } })
    if ('usableAt' in outcome) return { armored, usableAt: outcome.usableAt }
    if (!('problem' in outcome)) throw new Error('a certificate is good or has a problem')
    throw invalid('public_key', outcome.problem.message, outcome.problem.fix)
  }

  /** Bytes encrypted to a certificate, in ASCII armor, with what is to stand before and after in the clear. Memory that
   *  threads share is read as it is, other memory is copied. Where it rejects, nothing was encrypted. */
  async enclose(plain: Plain): Promise<Buffer> {
    const outcome = await this.#run('enclose', { enclose: { ...plain, bytes: shareable(plain.bytes) } })
    if ('enclosed' in outcome) return Buffer.from(outcome.enclosed.buffer)
    throw new Error('problem' in outcome ? outcome.problem.message : 'nothing was encrypted')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#threads.values()].map((thread) => thread.end()))
  }

  #run(kind: keyof typeof usualPatience, work: Work): Promise<Outcome> {
    const known = this.#threads.get(kind)
    const thread = known && !known.ended ? known : new Thread()
    this.#threads.set(kind, thread)
    return thread.run(work, this.#patience[kind])
  }
}

/** A copy of its own: of a part of a larger piece of memory all would be copied. */
function shareable(bytes: Uint8Array): Uint8Array {
  return bytes.buffer instanceof SharedArrayBuffer ? bytes : new Uint8Array(bytes)
}

type Work = Task extends infer One ? (One extends unknown ? Omit<One, 'number'> : never) : never

/** One life of the thread. It keeps the process running only while there is something to do. */
class Thread {
  ended = false
  readonly #worker = new Worker(new URL('./thread.ts', import.meta.url), { name: 'openpgp' })
  readonly #waiting = new Map<number, PromiseWithResolvers<Outcome>>()
  #count = 0

  constructor() {
    this.#worker.on('message', (outcome: Outcome) => this.#settle(outcome))
    this.#worker.on('error', (error) => this.#fail(error))
    this.#worker.on('exit', () => this.#fail(new Error('The thread for OpenPGP has ended')))
    this.#worker.unref()
  }

  async run(work: Work, patience: number): Promise<Outcome> {
    const number = this.#count++
    const promised = Promise.withResolvers<Outcome>()
    this.#waiting.set(number, promised)
    this.#worker.ref()
    this.#worker.postMessage({ number, ...work })
    const timer = setTimeout(() => this.#giveUp(), patience)
    return await promised.promise.finally(() => clearTimeout(timer))
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }

  /** What hangs can only be ended with its thread; those behind it are tried again by whoever sent them. */
  #giveUp(): void {
    this.#fail(new Error('OpenPGP took too long'))
    void this.end()
  }

  #settle(outcome: Outcome): void {
    const promised = this.#waiting.get(outcome.number)
    this.#waiting.delete(outcome.number)
    if (this.#waiting.size === 0) this.#worker.unref()
    if ('error' in outcome) promised?.reject(outcome.error)
    else promised?.resolve(outcome)
  }

  #fail(error: unknown): void {
    this.ended = true
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}
