import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { ImapServer } from '#/ports/servers.ts'

/** All sockets without TLS read into the same buffer. With a new, mostly empty buffer for each read, garbage collection
 *  takes a tenth of the time in which a folder is read. */
const readInto = Buffer.allocUnsafeSlow(64 << 10)

/** Connects to a server. Received bytes are valid until `onBytes` returns. */
export function openSocket({ host, port, tls }: ImapServer, onBytes: (bytes: Buffer) => void): Socket {
  const onread = {
    buffer: readInto,
    callback(length: number) {
      onBytes(readInto.subarray(0, length))
      return true
    },
  }
  const socket =
    tls === 'implicit'
      ? connectTls({ port, ...identity(host) })
      : // A socket that TLS takes over later ignores `onread`.
        connectTcp({ host, port, ...(tls === 'never' && { onread }) })
  socket.setNoDelay(true)
  return socket.on('data', onBytes)
}

/** TLS on an open socket. */
export function secure(socket: Socket, { host }: ImapServer, onBytes: (bytes: Buffer) => void): Socket {
  socket.removeAllListeners('data')
  return connectTls({ socket, ...identity(host) }).on('data', onBytes)
}

/** The name that the certificate must have. */
function identity(host: string): { host: string; servername?: string } {
  return isIP(host) === 0 ? { host, servername: host } : { host }
}
