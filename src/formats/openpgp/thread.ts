import { Mutex } from '#/base/event-loop/mutex.ts'
import { type Served, serve } from '#/base/event-loop/worker-thread.ts'
import { CertificateProblem, usableAt } from './certificate.ts'
import { enclose, type Plain } from './encrypt.ts'

export interface Check {
  readonly check: { readonly certificate: string; readonly now: Date }
}
export type Checked =
  | { readonly usableAt: Date }
  | { readonly problem: { readonly message: string; readonly fix: string | undefined } }

export interface Enclose {
  readonly enclose: Plain
}
export type Enclosed = Uint8Array<ArrayBuffer>

async function checked({ certificate, now }: Check['check']): Promise<Checked> {
  try {
    return { usableAt: await usableAt(certificate, now) }
  } catch (error) {
    if (!(error instanceof CertificateProblem)) throw error
    const { message, fix } = error
    return { problem: { message, fix } }
  }
}

async function perform(task: Check | Enclose): Promise<Served> {
  if ('check' in task) return { result: await checked(task.check) }
  const result: Enclosed = await enclose(task.enclose)
  return { result, transfer: [result.buffer] }
}

/** One task at a time bounds the memory. */
const mutex = new Mutex()
serve((task: Check | Enclose) => mutex.run(() => perform(task)))
