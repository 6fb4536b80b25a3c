import { createTransport } from 'nodemailer'
import { doLoad } from './load.ts'

/** nodemailer's work: to send one message repeatedly over so many connections. */
export interface PooledWork {
  readonly port: number
  readonly connections: number
  readonly messages: number
  /** In Latin-1. */
  readonly raw: string
}

/** Answers how long it took, in milliseconds. */
doLoad<PooledWork, number>(async ({ port, connections, messages, raw }) => {
  const transport = createTransport({
    pool: true,
    maxConnections: connections,
    port,
    host: '127.0.0.1',
    ignoreTLS: true,
  })
  const message = { raw: Buffer.from(raw, 'latin1'), envelope: { from: 'ada@bench.test', to: 'bob@there.example' } }
  let left = messages
  const start = performance.now()
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (left-- > 0) await transport.sendMail(message)
    }),
  )
  const ms = performance.now() - start
  transport.close()
  return ms
})
