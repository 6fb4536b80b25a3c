import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { byOperator } from '#/base/audit/actor.ts'
import type { Db } from '#/base/db/schema.ts'
import { addLabel } from '#/mail/labels/catalogue.ts'
import { createKey } from '#/people/keys/keys.ts'
import { addMember } from '#/people/members/members.ts'
import { createOrganization } from '#/people/organizations/register.ts'
import { insertSession } from '#/people/sessions/queries.ts'
import { hashToken, newToken } from '#/people/sessions/token.ts'
import { databaseHome } from '#test/world/database/database.ts'
import { cpuTime } from '#test/world/observe/cpu-time.ts'
import { startService } from '#test/world/service.ts'
import type { Ask, HttpResult, HttpWork } from './load/http-load.ts'
import { Load } from './load/load.ts'
import { inTurns, median, type Row } from './report.ts'

const organizations = 5
const labels = 20
const connections = 16

/** GET /v1/labels of Mailroom as it is started by default, with keys and in sessions, against a bare node:http server that
 *  runs the same statement through the same kind of pool. Each is a process of its own and has a database of its own. */
export async function http({ requests = 2_000, rounds = 9 } = {}): Promise<Row[]> {
  await using ourHome = await databaseHome()
  await using floorHome = await databaseHome()
  // A key may ask 600 times a minute, and a member too.
  const each = Math.ceil(((rounds + 1) * requests) / 500 / organizations)
  const withKeys = await fill(ourHome, each, (_id, key) => ({ path: '/v1/labels', key }))
  const inSessions = await signInSome(ourHome, each)
  const floorAsks = await fill(floorHome, 1, (id) => ({ path: `/${id}` }))

  const service = await startService(ourHome.env)
  const floor = fork(new URL('./load/http-floor.ts', import.meta.url), { env: { ...process.env, ...floorHome.env } })
  try {
    const [floorPort] = (await once(floor, 'message')) as [number]
    await using load = new Load<HttpWork, HttpResult>('http-load.ts')
    const run = (pid: number | undefined, port: number, asks: readonly Ask[]) => async () => {
      const before = await cpuTime(pid)
      const { ms, statuses, body } = await load.run({ port, connections, requests, asks })
      assert.deepEqual(statuses, { 200: requests }, 'every request is answered')
      assert.equal(JSON.parse(body).data.length, labels)
      return { perSecond: (requests / ms) * 1000, cpu: ((await cpuTime(pid)) - before) / requests }
    }
    const ours = (asks: readonly Ask[]) => run(service.process.pid, Number(new URL(service.http).port), asks)
    const turns = await inTurns(rounds, run(floor.pid, floorPort, floorAsks), async () => ({
      keys: await ours(withKeys)(),
      sessions: await ours(inSessions)(),
    }))
    const results = turns.map(({ floor, ours }) => ({ floor, ours: ours.keys, sessions: ours.sessions }))
    const of = (which: keyof (typeof results)[number], what: 'perSecond' | 'cpu') =>
      median(results.map((one) => one[which][what]))
    return [
      {
        what: 'requests a second',
        value: median(results.map(({ ours, floor }) => ours.perSecond / floor.perSecond)),
        unit: '×',
        least: 0.7,
        from: `${of('ours', 'perSecond').toFixed(0)} against ${of('floor', 'perSecond').toFixed(0)}`,
      },
      {
        what: 'CPU time of a request',
        value: median(results.map(({ ours, floor }) => ours.cpu / floor.cpu)),
        unit: '×',
        from: `${of('ours', 'cpu').toFixed(3)} ms against ${of('floor', 'cpu').toFixed(3)} ms`,
      },
      {
        what: 'time in a session, of that with a key',
        value: median(results.map(({ ours, sessions }) => ours.perSecond / sessions.perSecond)),
        unit: '×',
        most: 1.3,
        from: `${of('sessions', 'perSecond').toFixed(0)} a second against ${of('ours', 'perSecond').toFixed(0)}`,
      },
      {
        what: 'CPU time in a session, of that with a key',
        value: median(results.map(({ ours, sessions }) => sessions.cpu / ours.cpu)),
        unit: '×',
        from: `${of('sessions', 'cpu').toFixed(3)} ms against ${of('ours', 'cpu').toFixed(3)} ms`,
      },
    ]
  } finally {
    await service.end('SIGTERM')
    floor.disconnect()
  }
}

/** Some organizations with labels and keys, and what to ask of each. */
export async function fill(
  home: { open(): Promise<{ db: Db } & AsyncDisposable> },
  keys: number,
  ask: (organizationId: string, key: string) => Ask,
): Promise<Ask[]> {
  await using database = await home.open()
  const { db } = database
  const asks: Ask[] = []
  for (let number = 0; number < organizations; number++) {
    const { id } = await createOrganization(db, { name: `org-${number}`, plan: 'team' }, byOperator)
    const owner = { organizationId: id, memberId: null }
    await db.transaction().execute(async (tx) => {
      for (let n = 0; n < labels; n++)
        await addLabel(tx, owner, { name: `Label number ${n}`, colour: '#1e90ff' }, byOperator)
    })
    const key = { name: '', scopes: ['labels:read'], expiresAt: null } as const
    for (let made = 0; made < keys; made++)
      asks.push(ask(id, (await createKey(db, id, key, Date.now(), byOperator)).secret))
  }
  return asks
}

/** Members of each organization with a session, and what each asks. */
async function signInSome(home: { open(): Promise<{ db: Db } & AsyncDisposable> }, members: number): Promise<Ask[]> {
  await using database = await home.open()
  const { db } = database
  const asks: Ask[] = []
  for (const { id: organizationId } of await db.selectFrom('organizations').select('id').orderBy('name').execute()) {
    for (let number = 0; number < members; number++) {
      const wanted = { organizationId, email: `member-${number}@people.example`, name: '', role: 'member' }
      const { id: memberId } = await addMember(db, wanted, byOperator)
      const token = newToken()
      const session = { hash: hashToken(token), client_address: '127.0.0.1', user_agent: '' }
      await db.transaction().execute((tx) => insertSession(tx, { organizationId, memberId }, session, new Date()))
      asks.push({ path: '/v1/labels', cookie: `mailroom_session=${token}` })
    }
  }
  return asks
}
