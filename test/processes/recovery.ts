import assert from 'node:assert/strict'
import type { Service } from '#test/world/service.ts'
import type { Fleet } from './fleet.ts'
import type { Programs } from './programs.ts'

/** Waits until every process accepts mail and answers requests, and mail that was acknowledged to programs is sent. */
export async function untilRecovered(fleet: Fleet, programs: Programs): Promise<void> {
  const promised = [...programs.messages].flatMap(([name, { acknowledged }]) => (acknowledged ? [name] : []))
  const isReady = async ({ http }: Service) => (await fetch(`${http}/readyz`)).ok
  await Promise.all([
    ...fleet.of('mx').map((mx) => untilMailIsTaken(fleet, mx)),
    ...fleet.of('api').map((api) => fleet.until(() => isReady(api))),
    fleet.sink.until(({ taken }) => {
      const gone = new Set(taken.map(({ to }) => to[0]?.split('@')[0]))
      return promised.every((name) => gone.has(name))
    }),
  ])
  for (const api of fleet.of('api')) assert.equal((await fleet.request(api, 'GET', '/v1/usage')).status, 200)
}

/** As a server does whose mail was deferred, it is sent again until it is taken. */
export function untilMailIsTaken(fleet: Fleet, mx: Service): Promise<void> {
  return fleet.until(async () => {
    const reply = await fleet.hand(mx, 'ann@peer.example', fleet.quiet).catch(() => undefined)
    return reply === '250 2.6.0'
  })
}
