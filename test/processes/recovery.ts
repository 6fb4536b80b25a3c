import { limitFor } from '#test/world/limit-for.ts'
import type { Service } from '#test/world/service.ts'
import { type Fleet, soon } from './fleet.ts'
import type { Programs } from './programs.ts'

/** The longest recovery, in milliseconds. */
export const patience = limitFor(30_000)

/** Waits until every process accepts mail and answers requests, and mail that was acknowledged to programs
 *  is sent. Rejects after `patience`. */
export async function untilRecovered(fleet: Fleet, programs: Programs): Promise<void> {
  const promised = [...programs.messages].flatMap(([name, { acknowledged }]) => (acknowledged ? [name] : []))
  const takesMail = async (mx: Service) => {
    const reply = await fleet.hand(mx, 'ann@peer.example', fleet.quiet).catch(() => undefined)
    return reply === '250 2.6.0'
  }
  const answers = async (api: Service) => (await fleet.request(api, 'GET', '/v1/usage')).status === 200
  const haveLeft = async () => {
    const gone = new Set(fleet.sink.taken.map(({ to }) => to[0]?.split('@')[0]))
    return promised.every((name) => gone.has(name))
  }
  await Promise.all([
    ...fleet.of('mx').map((mx) => soon(patience, 'mail is taken', () => takesMail(mx))),
    ...fleet.of('api').map((api) => soon(patience, 'requests are answered', () => answers(api))),
    soon(patience, 'what was promised has left', haveLeft),
  ])
}
