import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { mostRequestBytes, parseProgress, parseReply, type Reply, type Request, socketPath } from './protocol.ts'

/** Longer than any statement may take in the server. */
const patienceMs = 90_000

/** Errors of `connect` if no server listens: no socket, the socket of a killed server, or a file that is no socket. */
const noServer: ReadonlySet<unknown> = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK', 'ENOTDIR'])

/**
 * Has the server of this data directory run the command; undefined if no server runs. `onProgress` gets the progress of a long
 * command.
 * @throws Error if the server ended before it answered; the command may have taken effect
 */
export async function callServer(
  dataDir: string,
  argv: readonly string[],
  onProgress: (progress: string) => void = () => {},
): Promise<Reply | undefined> {
  const line = `${JSON.stringify({ argv } satisfies Request)}\n`
  if (Buffer.byteLength(line) > mostRequestBytes) throw new Error('The command line is too long')
  const socket = await reach(socketPath(dataDir))
  if (!socket) return undefined
  socket.setTimeout(patienceMs, () => socket.destroy())
  socket.write(line)
  const reply = await replyOn(socket, onProgress)
  if (reply) return reply
  throw new Error(
    'The running server did not finish the command, which may have taken effect; check before you repeat it',
  )
}

/** Undefined if the server ends before its reply. */
async function replyOn(socket: Socket, onProgress: (progress: string) => void): Promise<Reply | undefined> {
  socket.on('error', () => {}) // The loop ends with the socket.
  for await (const line of createInterface(socket)) {
    const progress = parseProgress(line)
    if (progress === undefined) return parseReply(line)
    onProgress(progress)
  }
  return undefined
}

async function reach(path: string): Promise<Socket | undefined> {
  const socket = connect(path)
  try {
    await once(socket, 'connect')
    return socket
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (noServer.has(code)) return undefined
    if (code === 'EACCES') throw new Error(`The server on ${path} belongs to another user: run mailroom as that user`)
    throw error
  }
}
