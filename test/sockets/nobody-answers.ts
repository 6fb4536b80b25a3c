import { once } from 'node:events'
import { connect } from 'node:net'

/** Resolves once a port of this machine refuses connections. */
export async function untilNobodyAnswers(port: number): Promise<void> {
  for (let answers = true; answers; ) {
    const socket = connect(port, '127.0.0.1')
    answers = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
  }
}
