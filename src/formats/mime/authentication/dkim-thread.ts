import { bufferOf } from '#/base/event-loop/pieces.ts'
import { serve } from '#/base/event-loop/worker-thread.ts'
import { type LookUp, verifySignatures } from './dkim.ts'

/** The main thread, which has the resolver, looks up the keys. */
serve(async (raw: Uint8Array, ask) => {
  const lookUp: LookUp = (name, type) => ask({ name, type }) as Promise<string[]>
  return { result: await verifySignatures(bufferOf(raw), lookUp) }
})
