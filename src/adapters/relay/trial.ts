import type { RelayServer } from '#/config/relay-url.ts'
import type { RelayTrial } from '#/ports/relay-trial.ts'
import { patience } from './limits.ts'
import { Session } from './session.ts'
import { Lost, Trouble } from './trouble.ts'

/** Somebody waits for it. */
const limits = { ...patience, connect: 10_000, greeting: 15_000, hello: 15_000 }

/** Goes the way that mail goes, as far as to the login. */
export async function tryRelay(server: RelayServer, name: string): Promise<RelayTrial> {
  try {
    const opening = { name, limits, signal: new AbortController().signal }
    const { wire } = await Session.open({ ...server, address: server.host }, opening)
    await wire.quit(limits.quit)
    return { ended: 'well' }
  } catch (error) {
    if (!(error instanceof Trouble)) throw error
    const { message, reply } = error
    const why = reply === null ? message : `${message}: ${reply}`
    return { ended: error instanceof Lost ? 'unreachable' : 'refused', why }
  }
}
