import { after } from 'node:test'
import { Sink, type Taken } from '#test/world/sockets/sink.ts'
import type { TestOrganization } from './organization/test-organization.ts'
import { World, type WorldOptions } from './world.ts'

/** A service whose mail goes to a server of the test, for all tests of a file. */
export interface SendingWorld {
  readonly world: World
  /** More processes on its database, as many as were asked for. */
  readonly others: readonly World[]
  readonly sink: Sink
  readonly organization: TestOrganization
  /** The address of a mailbox of the organization, and its id. */
  readonly ada: string
  readonly adaId: string
  readonly request: TestOrganization['request']
  /** Has everything leave that is due, and answers what the server has accepted since. */
  sentMail(): Promise<Taken[]>
}

export interface SendingOptions extends Omit<WorldOptions, 'sink'> {
  readonly plan?: string
  readonly others?: number
  /** Of Ada. */
  readonly name?: string
}

/** Starts one that ends after the tests of the file. It sends what is due when a test says so: it has no worker that looks
 *  by itself. */
export async function sendingWorld({
  plan,
  name,
  others: more = 0,
  ...options
}: SendingOptions = {}): Promise<SendingWorld> {
  const ending = new AsyncDisposableStack()
  after(() => ending.disposeAsync())
  const sink = ending.use(await Sink.start())
  const settings = { ...options, sink, env: { MAILROOM_ROLES: 'api,mx', ...options.env } }
  const world = ending.use(await World.start(settings))
  const others: World[] = []
  for (let number = 0; number < more; number++) {
    const other = ending.use(await World.start({ ...settings, database: world.database }))
    other.clock.advance(world.clock.now() - other.clock.now())
    others.push(other)
  }
  const organization = await world.organization(plan === undefined ? {} : { plan })
  const { id: adaId, address: ada } = await organization.mailbox('ada', name === undefined ? {} : { name })
  const sentMail = async () => {
    await world.outbound.processAll()
    return sink.taken.splice(0)
  }
  return { world, others, sink, organization, ada, adaId, request: organization.request.bind(organization), sentMail }
}
