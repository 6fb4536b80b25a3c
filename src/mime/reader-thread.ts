import { parentPort } from 'node:worker_threads'
import { tasks } from './reader-tasks.ts'

export interface Task {
  readonly number: number
  readonly name: keyof typeof tasks
  readonly raw: Uint8Array
  readonly id: string
}

export type Outcome = { readonly number: number } & ({ readonly result: unknown } | { readonly error: unknown })

parentPort?.on('message', ({ number, name, raw, id }: Task) => {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  try {
    const { result, transfer } = tasks[name](bytes, id)
    parentPort?.postMessage({ number, result } satisfies Outcome, transfer)
  } catch (error) {
    parentPort?.postMessage({ number, error } satisfies Outcome)
  }
})
