import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { Transform } from 'node:stream'

interface Tap extends AsyncDisposable {
  readonly port: number
  /** Octets sent to the server. */
  readonly said: string[]
}

/** A proxy in front of a server, which records what clients send, may act before the server gets it, and may
 *  change the answer. */
export async function tap(
  { host, port }: { host: string; port: number },
  rewrite: (answer: string) => string = (answer) => answer,
  before: (said: string) => Promise<void> | undefined = () => undefined,
): Promise<Tap> {
  const said: string[] = []
  const listener = createServer((client) => {
    const server = connect(port, host)
    const hearing = new Transform({
      transform: (chunk, _, done) => {
        const text = chunk.toString('latin1')
        said.push(text)
        Promise.resolve(before(text)).then(() => done(null, chunk), done)
      },
    })
    const rewriting = new Transform({
      transform: (chunk, _, done) => done(null, Buffer.from(rewrite(chunk.toString('latin1')), 'latin1')),
    })
    client.pipe(hearing).pipe(server).pipe(rewriting).pipe(client)
    for (const socket of [client, server]) socket.on('error', () => {}).on('close', () => server.destroy())
  })
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  const { port: own } = listener.address() as AddressInfo
  return { port: own, said, [Symbol.asyncDispose]: async () => void listener.close() }
}
