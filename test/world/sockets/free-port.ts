import { once } from 'node:events'
import { createServer } from 'node:net'

/** A free port of 127.0.0.1, for a program that cannot choose one itself. It lies below those that Linux
 *  assigns, so that no other program gets it meanwhile. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 16_384 + Math.floor(Math.random() * 16_384)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
