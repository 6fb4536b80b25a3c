import { on, once } from 'node:events'
import { chmod, mkdtemp, rename, rm } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { mostRequestBytes, parseRequest, type Reply, socketPath } from './protocol.ts'

/** Limit for reading a request, and for writing the reply, in milliseconds. */
const patienceMs = 3_000
/** How long running commands may take to end when the server stops. */
const graceMs = 5_000
const mostConnections = 16

type Run = (argv: readonly string[], onProgress: (progress: string) => void) => Promise<Reply>

/**
 * Listens for the commands of the CLI. `run` never rejects. The caller holds the lock of the data directory, so an existing
 * socket was left by a killed server, and is replaced. Disposing waits for running commands.
 */
export async function listenForCommands(dataDir: string, run: Run): Promise<AsyncDisposable> {
  const path = socketPath(dataDir)
  const inHand = new Set<Promise<void>>()
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket)
    const served = serve(socket, run).finally(() => {
      sockets.delete(socket)
      inHand.delete(served)
    })
    inHand.add(served)
  })
  server.maxConnections = mostConnections
  await bind(server, path)
  return {
    async [Symbol.asyncDispose]() {
      await rm(path, { force: true })
      const closed = once(server, 'close')
      server.close()
      await Promise.race([Promise.all(inHand), setTimeout(graceMs, undefined, { ref: false })])
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/** Binds in a private directory and then moves the socket, so that another user can connect at no moment. The move replaces
 *  an old socket. Both paths are equally long, for the limit of `sun_path`. */
async function bind(server: Server, path: string): Promise<void> {
  const directory = await mkdtemp(join(path, '..', '.c-'))
  try {
    const draft = join(directory, 's')
    await once(server.listen(draft), 'listening')
    await chmod(draft, 0o600)
    await rename(draft, path)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** Serves one connection: reads the request, runs it, replies. Errors of the connection concern only the client. */
async function serve(socket: Socket, run: Run): Promise<void> {
  socket.on('error', () => {})
  const closed = new Promise((resolve) => socket.once('close', resolve))
  const request = parseRequest(await firstLine(socket))
  if (request) {
    const reply = await run(request.argv, (progress) => {
      if (socket.writable) socket.write(`${JSON.stringify({ progress })}\n`)
    })
    socket.setTimeout(patienceMs, () => socket.destroy())
    socket.end(`${JSON.stringify(reply)}\n`, () => socket.destroySoon())
    socket.resume()
  } else {
    socket.destroy()
  }
  await closed
}

/** Empty if the client closed the connection before the line's end, took too long or sent too much. */
async function firstLine(socket: Socket): Promise<string> {
  const signal = AbortSignal.timeout(patienceMs)
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const [chunk] of on(socket, 'data', { signal, close: ['end', 'close'] }) as AsyncIterable<[Buffer]>) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > mostRequestBytes) return ''
      if (chunk.includes(0x0a)) return Buffer.concat(chunks).toString('utf8')
    }
  } catch {
    // The connection broke, or the time is up.
  }
  return ''
}
