import { parentPort } from 'node:worker_threads'
import { CertificateProblem, usableAt } from './certificate.ts'
import { enclose, type Plain } from './encrypt.ts'

export type Task = { readonly number: number } & (
  | { readonly check: { readonly certificate: string; readonly now: Date } }
  | { readonly enclose: Plain }
)

export type Outcome = { readonly number: number } & (
  | { readonly usableAt: Date }
  | { readonly problem: { readonly message: string; readonly fix: string | undefined } }
  | { readonly enclosed: Uint8Array<ArrayBuffer> }
  | { readonly error: unknown }
)

/** One after the other, so that no two large messages are in memory twice. */
let work = Promise.resolve()
parentPort?.on('message', (task: Task) => {
  work = work.then(() => run(task))
})

async function run(task: Task): Promise<void> {
  const { number } = task
  try {
    if ('check' in task) {
      const { certificate, now } = task.check
      return answer({ number, usableAt: await usableAt(certificate, now) })
    }
    const enclosed = await enclose(task.enclose)
    answer({ number, enclosed }, [enclosed.buffer])
  } catch (error) {
    if (error instanceof CertificateProblem) {
      const { message, fix } = error
      answer({ number, problem: { message, fix } })
    } else answer({ number, error })
  }
}

function answer(outcome: Outcome, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(outcome, transfer)
}
