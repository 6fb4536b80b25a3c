import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { ImapServer } from '#/ports/servers.ts'

/** All sockets without TLS read into the same memory: with memory of its own for each read, most of it left empty, the garbage
 *  collector takes a tenth of the time in which a folder is read. */
const readInto = Buffer.allocUnsafeSlow(64 << 10)

/** Connects to a server. What it sends is valid until `onBytes` returns. */
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
      : // A socket that TLS will take over ignores `onread`.
        connectTcp({ host, port, ...(tls === 'never' && { onread }) })
  socket.setNoDelay(true)
  return socket.on('data', onBytes)
}

/** TLS on a socket that is open. */
export function secure(socket: Socket, { host }: ImapServer, onBytes: (bytes: Buffer) => void): Socket {
  socket.removeAllListeners('data')
  return connectTls({ socket, ...identity(host) }).on('data', onBytes)
}

/** The name that the certificate must be for. */
function identity(host: string): { host: string; servername?: string } {
  return isIP(host) === 0 ? { host, servername: host } : { host }
}
