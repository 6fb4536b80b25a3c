import { invalid } from '#/base/errors.ts'
import { WorkerThread } from '#/base/event-loop/worker-thread.ts'
import type { Plain } from './encrypt.ts'
import type { Check, Checked, Enclose, Enclosed } from './thread.ts'

/** An OpenPGP certificate that mail can be encrypted to. */
export interface Certificate {
  readonly armored: string
  /** The time at which it is used, also if it expires later. */
  readonly usableAt: Date
}

/** Limits for a task and those before it (milliseconds). Encrypting 25 MiB takes half a second. */
const defaultTimeouts = { check: 10_000, enclose: 120_000 }

const module = new URL('./thread.ts', import.meta.url)

/** OpenPGP (RFC 9580) in worker threads, so that nothing blocks the event loop. The first task starts a thread. A thread runs one
 *  task at a time, which bounds its memory. Strangers' certificates have their own thread, so that a slow one delays no mail. */
export class OpenPgp implements AsyncDisposable {
  readonly #timeouts: typeof defaultTimeouts
  readonly #check = new WorkerThread<Check, Checked>(module, 'openpgp check')
  readonly #enclose = new WorkerThread<Enclose, Enclosed>(module, 'openpgp enclose')

  constructor(timeouts: Partial<typeof defaultTimeouts> = {}) {
    this.#timeouts = { ...defaultTimeouts, ...timeouts }
  }

  /** Checks that mail can be encrypted to the certificate in the field `public_key`. @throws Refusal */
  async certificate(armored: string, now: Date): Promise<Certificate> {
    const work = { check: { certificate: armored, now } }
    const checked = await runWithin(this.#timeouts.check, this.#check, work)
    if ('problem' in checked) throw invalid('public_key', checked.problem.message, checked.problem.fix)
    return { armored, usableAt: checked.usableAt }
  }

  /** Encrypts octets to a certificate, in ASCII armor, with clear text before and after. Copies them unless they are in shared
   *  memory. */
  async enclose(plain: Plain): Promise<Buffer> {
    const work = { enclose: { ...plain, bytes: shareable(plain.bytes) } }
    const enclosed = await runWithin(this.#timeouts.enclose, this.#enclose, work)
    return Buffer.from(enclosed.buffer)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#check[Symbol.asyncDispose](), this.#enclose[Symbol.asyncDispose]()])
  }
}

/** Only the end of its thread ends a task that hangs. The tasks behind it fail, and their senders retry. */
async function runWithin<Work, Result>(
  timeout: number,
  thread: WorkerThread<Work, Result>,
  work: Work,
): Promise<Result> {
  const timer = setTimeout(() => void thread.end(new Error('OpenPGP took too long')), timeout)
  return await thread.run(work).finally(() => clearTimeout(timer))
}

/** A copy, unless shared: posting a part of a buffer would copy the whole buffer. */
function shareable(bytes: Uint8Array): Uint8Array {
  return bytes.buffer instanceof SharedArrayBuffer ? bytes : new Uint8Array(bytes)
}
