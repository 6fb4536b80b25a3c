import { invalid } from '#/errors.ts'
import { WorkerThread } from '#/event-loop/worker-thread.ts'
import type { Plain } from './encrypt.ts'
import type { Check, Checked, Enclose, Enclosed } from './thread.ts'

/** An OpenPGP certificate that mail can be encrypted to. */
export interface Certificate {
  readonly armored: string
  /** As of when it is used, whatever becomes of it later. */
  readonly usableAt: Date
}

/** How long a task may take, with those before it (milliseconds). Encrypting 25 MiB takes half a second. */
const usualPatience = { check: 10_000, enclose: 120_000 }

const module = new URL('./thread.ts', import.meta.url)

/** OpenPGP (RFC 9580) in threads of its own, which their first tasks start: no certificate and no message holds the event
 *  loop. Each does one thing after the other, so that its memory is bounded; certificates, which strangers make, have
 *  their own, so that one made to be slow keeps no mail waiting. */
export class OpenPgp implements AsyncDisposable {
  readonly #patience: typeof usualPatience
  readonly #check = new WorkerThread<Check, Checked>(module, 'openpgp check')
  readonly #enclose = new WorkerThread<Enclose, Enclosed>(module, 'openpgp enclose')

  constructor(patience: Partial<typeof usualPatience> = {}) {
    this.#patience = { ...usualPatience, ...patience }
  }

  /** Makes sure that mail can be encrypted to a certificate that somebody gave in the field `public_key`.
   *  @throws Refusal that names what is wrong with it */
  async certificate(armored: string, now: Date): Promise<Certificate> {
    const work = { check: { certificate: armored, now } }
    const checked = await runWithin(this.#patience.check, this.#check, work)
    if ('problem' in checked) throw invalid('public_key', checked.problem.message, checked.problem.fix)
    return { armored, usableAt: checked.usableAt }
  }

  /** Bytes encrypted to a certificate, in ASCII armor, with what is to stand before and after in the clear. Memory that
   *  threads share is read as it is, other memory is copied. Where it rejects, nothing was encrypted. */
  async enclose(plain: Plain): Promise<Buffer> {
    const work = { enclose: { ...plain, bytes: shareable(plain.bytes) } }
    const enclosed = await runWithin(this.#patience.enclose, this.#enclose, work)
    return Buffer.from(enclosed.buffer)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#check[Symbol.asyncDispose](), this.#enclose[Symbol.asyncDispose]()])
  }
}

/** What hangs can only be ended with its thread; what waits behind it is tried again by whoever sent it. */
async function runWithin<Work, Result>(
  patience: number,
  thread: WorkerThread<Work, Result>,
  work: Work,
): Promise<Result> {
  const timer = setTimeout(() => void thread.end(new Error('OpenPGP took too long')), patience)
  return await thread.run(work).finally(() => clearTimeout(timer))
}

/** A copy of its own: of a part of a larger piece of memory all would be copied. */
function shareable(bytes: Uint8Array): Uint8Array {
  return bytes.buffer instanceof SharedArrayBuffer ? bytes : new Uint8Array(bytes)
}
