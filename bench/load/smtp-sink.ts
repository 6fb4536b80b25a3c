import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { doLoad } from './load.ts'

/** The sink's work: to answer once it has accepted so many messages. */
export interface SinkWork {
  readonly until: number
}

/** What the sink has taken so far. */
export interface Taken {
  readonly port: number
  readonly messages: number
  /** Different Message-IDs among them. */
  readonly ids: number
  /** When the last came, by `Date.now()`. */
  readonly at: number
  /** The first message, as it came, in Latin-1. */
  readonly sample: string
}

/** An SMTP server that takes everything and keeps nothing but the Message-IDs: as cheap as can be, so that what is
 *  measured is who sends. */
const ids = new Set<string>()
let messages = 0
let at = 0
let sample = ''
let changed = Promise.withResolvers<void>()

const end = Buffer.from('\r\n.\r\n')
/** As whoever is measured writes it. */
const idField = Buffer.from('\r\nMessage-ID: ')

function serve(socket: Socket): void {
  let rest: Buffer = Buffer.alloc(0)
  let message = false
  socket.setNoDelay(true)
  socket.on('error', () => {})
  socket.on('data', (chunk: Buffer) => {
    rest = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    let replies = ''
    for (;;) {
      const mark = message ? end : '\r\n'
      const stop = rest.indexOf(mark)
      if (stop < 0) break
      const said = rest.subarray(0, stop)
      rest = rest.subarray(stop + mark.length)
      if (message) {
        take(said)
        message = false
        replies += '250 2.0.0 Taken\r\n'
      } else {
        const text = said.toString('latin1')
        message = /^DATA/i.test(text)
        replies += replyTo(text)
      }
    }
    if (replies !== '') socket.write(replies)
  })
  socket.write('220 sink.example ESMTP\r\n')
}

function replyTo(command: string): string {
  if (/^EHLO/i.test(command)) return '250-sink.example\r\n250-PIPELINING\r\n250 8BITMIME\r\n'
  if (/^DATA/i.test(command)) return '354 Go on\r\n'
  return /^QUIT/i.test(command) ? '221 2.0.0 Bye\r\n' : '250 2.0.0 Ok\r\n'
}

function take(message: Buffer): void {
  const id = message.indexOf(idField)
  ids.add(id < 0 ? '' : message.toString('latin1', id, message.indexOf('\r', id + idField.length)))
  messages += 1
  at = Date.now()
  sample ||= message.toString('latin1')
  changed.resolve()
}

const server = createServer(serve)
server.listen(0, '127.0.0.1')
await once(server, 'listening')

doLoad<SinkWork, Taken>(async ({ until }) => {
  while (messages < until) {
    await changed.promise
    changed = Promise.withResolvers()
  }
  return { port: (server.address() as AddressInfo).port, messages, ids: ids.size, at, sample }
})
process.once('disconnect', () => process.exit())
