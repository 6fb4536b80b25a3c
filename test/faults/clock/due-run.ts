import assert from 'node:assert/strict'
import { testDatabase } from '#test/world/database/database.ts'
import { AcceptingRelay } from '#test/world/mail/accepting-relay.ts'
import { insertDue, oneEach } from '#test/world/mail/due-mail.ts'
import { World } from '#test/world/world.ts'

export interface DueReport {
  readonly seconds: number
  readonly due: number
  /** Recipients who had their message more than once. */
  readonly twice: readonly string[]
  readonly unsent: readonly string[]
  /** How much of all had gone when the last message of the small organization went: one tenth at best. */
  readonly heldBack: number
}

/** Has two workers send messages that are all due in one second, nine of ten of them of one organization, and these
 *  first. */
export async function dueRun(count: number): Promise<DueReport> {
  await using resources = new AsyncDisposableStack()
  const database = resources.use(await testDatabase())
  const relay = new AcceptingRelay()
  const start = async () => resources.use(await World.start({ database, relay }))
  const worlds = [await start(), await start()]
  const [large, small] = [await insert(worlds[0], count * 0.9, 999), await insert(worlds[0], count * 0.1, 0)]
  const all = [...large, ...small].flatMap(({ recipients }) => recipients)

  const since = performance.now()
  await Promise.all(worlds.map((world) => world.rounds.processAll()))
  const seconds = (performance.now() - since) / 1_000
  const few = new Set(small.flatMap(({ recipients }) => recipients))
  const went = new Set<string>()
  const twice = relay.taken.filter((recipient) => went.has(recipient) || !went.add(recipient))
  return {
    seconds,
    due: all.length,
    twice,
    unsent: all.filter((recipient) => !went.has(recipient)),
    heldBack: (relay.taken.findLastIndex((recipient) => few.has(recipient)) + 1) / all.length,
  }
}

/** Of a new organization, due so many milliseconds ago. */
async function insert(world: World | undefined, count: number, ago: number) {
  assert.ok(world)
  const { organization, address } = await world.mailbox('ada', { plan: 'self_hosted' })
  const due = oneEach(count, new Date(world.clock.now() - ago))
  await insertDue(world.db, { organizationId: organization.id, address }, due)
  return due
}
