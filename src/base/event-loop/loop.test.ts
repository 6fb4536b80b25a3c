import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { test } from 'node:test'
import { pino } from 'pino'
import { Loop } from './loop.ts'

/** Never again where a round found nothing. */
const never = 2 ** 30

class Countdown extends Loop {
  done = 0
  atOnce = 0
  most = 0
  left: number
  /** Called in each round, with its number. */
  during = (_round: number): void => {}
  readonly #rounds = new EventEmitter()

  constructor(left: number, { lines = [], ...pace }: { idleMs?: number; firstMs?: number; lines?: string[] } = {}) {
    const log = pino({}, { write: (line: string) => void lines.push(line) })
    super({ idleMs: never, log, failed: 'a round failed', ...pace })
    this.left = left
  }

  protected override async round(): Promise<boolean> {
    this.most = Math.max(this.most, ++this.atOnce)
    await new Promise(setImmediate)
    this.atOnce--
    this.#rounds.emit(String(++this.done))
    this.during(this.done)
    return --this.left > 0
  }

  /** The rounds until now, the one included that a call of `wake` has begun. */
  async doneByNow(): Promise<number> {
    await new Promise(setImmediate)
    return await this.oneAtATime(async () => this.done)
  }

  /** Resolves as that round ends. */
  async reached(round: number): Promise<void> {
    if (this.done < round) await once(this.#rounds, String(round))
  }
}

test('all rounds that there are, one at a time, however many ask', async () => {
  await using loop = new Countdown(10)
  loop.start()
  await Promise.all([loop.processAll(), loop.processAll()])
  assert.ok(loop.done >= 10)
  assert.equal(loop.most, 1)
})

test('so many rounds as are asked for', async () => {
  await using loop = new Countdown(10)
  await loop.processSome(3)
  assert.equal(loop.done, 3)
})

test('between rounds it rests for as long as it is told, and a call of `wake` meanwhile shares the next round', async () => {
  const rested: unknown[] = []
  class Resting extends Countdown {
    protected override async rest(more: boolean): Promise<void> {
      rested.push([this.done, more])
      if (this.done === 1) for (let calls = 0; calls < 3; calls++) this.wake()
    }
  }
  await using loop = new Resting(1)
  loop.wake()
  await loop.reached(2)
  await loop[Symbol.asyncDispose]()
  assert.deepEqual(rested, [
    [1, false],
    [2, false],
  ])
})

test('a call of `wake` in a round causes another one, which may see what that one did not, and does so before a start', async () => {
  await using loop = new Countdown(1)
  loop.during = (round) => {
    if (round < 3) loop.wake()
  }
  loop.wake()
  await loop.reached(3)
  await loop[Symbol.asyncDispose]()
  assert.equal(loop.done, 3)
})

test('a round that fails is logged and counted, and the next one follows', async () => {
  const lines: string[] = []
  await using loop = new Countdown(5, { idleMs: 1, lines })
  loop.during = (round) => {
    if (round === 2) throw new Error('broken')
  }
  loop.start()
  await loop.reached(5)
  assert.deepEqual([lines.length, loop.errors], [1, 1])
  assert.match(lines[0] ?? '', /a round failed/)
})

test('the first round is at the start, or so much later or up to twice that; then it looks regularly', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  t.mock.method(Math, 'random', () => 0.5)
  for (const [pace, after, expected] of [
    [{ idleMs: 10 }, [0, 9, 1, 10], [1, 1, 2, 3]],
    [{ idleMs: 10, firstMs: 100 }, [149, 1, 9, 1], [0, 1, 1, 2]],
  ] as const) {
    const rounds: number[] = []
    await using loop = new Countdown(1, pace)
    loop.start()
    for (const ms of after) {
      t.mock.timers.tick(ms)
      rounds.push(await loop.doneByNow())
    }
    assert.deepEqual(rounds, expected)
  }
})

test('disposal ends a rest, waits for the round under way, and begins none', async () => {
  const loop = new Countdown(1)
  loop.start()
  await loop.reached(1)
  const asked = loop.processSome(1)
  await loop[Symbol.asyncDispose]()
  loop.wake()
  assert.deepEqual([loop.done, loop.atOnce], [2, 0])
  await asked
})
