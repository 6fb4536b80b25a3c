import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { doLoad } from './load.ts'

/** The receiver's work: to answer once it has received so many new events. */
export interface ReceiverWork {
  readonly until: number
}

export interface ReceiverResult {
  readonly port: number
  /** When the last came, by `Date.now()`. */
  readonly at: number
}

/** A receiver that answers at once and reads nothing but the ids. */
const ids = new Set<string>()
let changed = Promise.withResolvers<void>()
const server = createServer((request, response) => {
  request.resume()
  ids.add(`${request.headers['webhook-id']} ${request.url}`)
  response.writeHead(204).end()
  changed.resolve()
}).listen(0, '127.0.0.1')
const listening = once(server, 'listening')
process.on('disconnect', () => process.exit())

doLoad<ReceiverWork, ReceiverResult>(async ({ until }) => {
  await listening
  for (; ids.size < until; changed = Promise.withResolvers()) await changed.promise
  if (until > 0) ids.clear()
  return { port: (server.address() as AddressInfo).port, at: Date.now() }
})
