import type { RelayTrial, TryRelay } from '#/out/relay/relay-trial.ts'
import { ConnectionLost, DeliveryFailure, NoTls, TlsFailed } from './delivery-failure.ts'
import { patience } from './limits.ts'
import { anySource, openFrom } from './open-from.ts'

/** Shorter, since a person waits. */
const limits = { ...patience, connect: 10_000, greeting: 15_000, hello: 15_000 }

/** Opens a session as for a delivery, up to authentication. */
export const tryRelay: TryRelay = async (server, name, source = anySource): Promise<RelayTrial> => {
  try {
    const opening = { name, limits, signal: new AbortController().signal }
    const { connection } = await openFrom(source, { address: server.host, ...server }, opening)
    await connection.quit(limits.quit)
    return { ended: 'well' }
  } catch (error) {
    if (!(error instanceof DeliveryFailure)) throw error
    const { message, reply } = error
    const why = reply === null ? message : `${message}: ${reply}`
    if (error instanceof TlsFailed || error instanceof NoTls) return { ended: 'insecure', why }
    return { ended: error instanceof ConnectionLost ? 'unreachable' : 'refused', why }
  }
}
