import assert from 'node:assert/strict'
import { test } from 'node:test'
import { No } from '../answers.ts'
import { AtWork } from './at-work.ts'
import { Budgets } from './budgets.ts'

const { signal } = new AbortController()
const never = new Promise<never>(() => {})

/** Sessions of organizations in a process that carries out so many commands at a time. */
function process(work = 4, memory = 4 << 20) {
  const budgets = new Budgets({ work, memory, folders: 100 })
  let count = 0
  return (organization: string, gone = signal) => new AtWork(budgets, { organization, key: `${++count}` }, gone)
}

/** What each of these does to its session, over and over, leaves room for the session of another organization. */
for (const [what, holds] of [
  ['commands that do not end', (session) => session.atWork(() => never)],
  ['commands within commands', (session) => session.atWork(() => session.atWork(() => never))],
  ['answers that nobody reads', (session) => session.atWork(() => session.reserve(1 << 20).then(() => never))],
  [
    'answers of any size that nobody reads',
    (session) => session.atWork(() => session.reserve(1 << 30).then(() => never)),
  ],
] satisfies (readonly [string, (session: AtWork) => Promise<unknown>])[])
  test(`whatever ${what} an organization has, another one is served`, async () => {
    const session = process()
    for (let n = 0; n < 20; n++) holds(session('one')).catch(() => {})
    const other = session('other')
    await other.atWork(async () => void (await other.reserve(1 << 20)))
  })

test('of the folders that are remembered there is room for those of another organization', async () => {
  const session = process()
  const kept: unknown[] = []
  for (let n = 0; n < 20; n++) kept.push(await session('one').remember(10))
  assert.equal(kept.filter(Boolean).length, 5)
  assert(await session('other').remember(20))
})

test('who waits for a client that does not read is not at work', async () => {
  const session = process(2)
  for (let n = 0; n < 10; n++) {
    const one = session('one')
    const output = one.through({ write: () => never })
    one.atWork(async () => await output.write('')).catch(() => {})
  }
  await session('one').atWork(async () => {})
})

test('work whose output nobody waits for leaves nothing behind, also if its client goes', async () => {
  const session = process(2)
  for (const taken of [Promise.resolve(), Promise.reject(new Error('gone'))]) {
    const one = session('one')
    const output = one.through({ write: () => taken })
    await one.atWork(async () => void output.write(''))
    await taken.catch(() => {})
  }
  const both = Promise.withResolvers<void>()
  let working = 0
  const meet = () => {
    if (++working === 2) both.resolve()
    return both.promise
  }
  await Promise.all(['two', 'three'].map((organization) => session(organization).atWork(meet)))
})

for (const [what, step] of [
  ['asks for a turn', (one) => one.turn()],
  ['writes for long', async (one) => one.through({ write: () => undefined }).write('')],
] satisfies (readonly [string, (one: AtWork) => Promise<unknown>])[])
  test(`long work that ${what} lets a command of its organization come in between`, async (t) => {
    // Each look at the clock is longer after the one before than others have to wait.
    let now = performance.now()
    t.mock.method(performance, 'now', () => (now += 25))
    const session = process(1)
    const done: string[] = []
    const [long, short] = [session('one'), session('one')]
    const working = long.atWork(async () => {
      for (let n = 0; n < 3; n++) await step(long)
      done.push('long')
    })
    await Promise.all([working, short.atWork(async () => void done.push('short'))])
    assert.deepEqual(done, ['short', 'long'])
  })

test('a command for which there is no place until its client has gone is refused', async () => {
  const session = process(1)
  const leaving = new AbortController()
  session('one')
    .atWork(() => never)
    .catch(() => {})
  const refused = assert.rejects(
    session('one', leaving.signal).atWork(async () => {}),
    (error) => error instanceof No && error.code === 'LIMIT',
  )
  leaving.abort()
  await refused
})
