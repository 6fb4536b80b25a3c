import { roles } from '#/app/config/roles.ts'
import { type Account, accountFor } from './accounts.ts'
import { Fleet } from './fleet.ts'
import { Load } from './load.ts'

export interface StormReport extends Account {
  readonly seconds: number
  readonly kills: number
  /** Counts of replies that defer mail. */
  readonly refused: Readonly<Record<string, number>>
  /** Lines of the processes' logs at level `error` or above. */
  readonly complaints: readonly string[]
}

/** Kills processes of every role, two of each, one after the other at random, and starts others in their place, while mail
 *  streams in from many senders and out from programs; then holds what is there against what was acknowledged. `goOn` is
 *  asked before each kill. */
export async function storm(goOn: (kills: number) => boolean, { senders = 50 } = {}): Promise<StormReport> {
  await using fleet = await Fleet.start()
  const since = performance.now()
  using load = Load.on(fleet, { senders, programs: Math.ceil(senders / 10) })
  let kills = 0
  const coming = new Set<Promise<unknown>>()
  while (goOn(kills)) {
    await load.senders.see(Math.floor(Math.random() * senders * 2), 'acknowledged')
    const victim = oneOf(roles.flatMap((role) => fleet.of(role).map((service) => ({ role, service }))))
    // A start takes seconds.
    if (!victim) await Promise.race(coming)
    if (!victim) continue
    await fleet.kill(victim.service)
    kills += 1
    const next = fleet.add(victim.role).finally(() => coming.delete(next))
    coming.add(next)
  }
  await Promise.all(coming)
  await load.stop()
  const seconds = Math.round((performance.now() - since) / 1_000)
  const refused = Object.fromEntries(load.senders.refused)
  return { seconds, kills, refused, complaints: fleet.complaints, ...(await accountFor(fleet, load)) }
}

function oneOf<T>(all: readonly T[]): T | undefined {
  return all[Math.floor(Math.random() * all.length)]
}
