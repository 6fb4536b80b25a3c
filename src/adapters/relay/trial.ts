import type { RelayTrial } from '#/ports/relay-trial.ts'
import type { RelayServer } from '#/ports/servers.ts'
import { ConnectionLost, DeliveryFailure } from './delivery-failure.ts'
import { patience } from './limits.ts'
import { SmtpClient } from './smtp-client/smtp-client.ts'

/** Shorter, since a person waits. */
const limits = { ...patience, connect: 10_000, greeting: 15_000, hello: 15_000 }

/** Opens a session as for a delivery, up to authentication. */
export async function tryRelay(server: RelayServer, name: string): Promise<RelayTrial> {
  try {
    const opening = { name, limits, signal: new AbortController().signal }
    const { connection } = await SmtpClient.open({ ...server, address: server.host }, opening)
    await connection.quit(limits.quit)
    return { ended: 'well' }
  } catch (error) {
    if (!(error instanceof DeliveryFailure)) throw error
    const { message, reply } = error
    const why = reply === null ? message : `${message}: ${reply}`
    return { ended: error instanceof ConnectionLost ? 'unreachable' : 'refused', why }
  }
}
