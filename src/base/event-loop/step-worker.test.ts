import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { test } from 'node:test'
import { pino } from 'pino'
import { StepWorker } from './step-worker.ts'

/** Never again where a step found nothing. */
const idleMs = 2 ** 30

class Countdown extends StepWorker {
  done = 0
  atOnce = 0
  most = 0
  #left: number
  readonly #steps = new EventEmitter()
  readonly #fails: (done: number) => boolean

  constructor(
    left: number,
    {
      idle = idleMs,
      fails = (_done: number): boolean => false,
      between = async (): Promise<void> => {},
      lines = [] as string[],
    } = {},
  ) {
    const log = pino({}, { write: (line: string) => void lines.push(line) })
    super({ idleMs: idle, between, log, failed: 'a step failed' })
    this.#left = left
    this.#fails = fails
  }

  protected override async step(): Promise<boolean> {
    this.most = Math.max(this.most, ++this.atOnce)
    await new Promise(setImmediate)
    this.atOnce--
    this.#steps.emit(String(++this.done))
    if (this.#fails(this.done)) throw new Error('broken')
    return --this.#left > 0
  }

  /** Resolves as that step ends. */
  async reached(step: number): Promise<void> {
    if (this.done < step) await once(this.#steps, String(step))
  }
}

test('all steps that there are, one at a time, however many ask', async () => {
  await using worker = new Countdown(10)
  worker.start()
  await Promise.all([worker.processAll(), worker.processAll()])
  assert.ok(worker.done >= 10)
  assert.equal(worker.most, 1)
})

test('so many steps as are asked for', async () => {
  await using worker = new Countdown(10)
  await worker.processSome(3)
  assert.equal(worker.done, 3)
})

test('the next step begins when it may', async () => {
  const asked: number[] = []
  await using worker: Countdown = new Countdown(3, {
    between: async () => {
      asked.push(worker.done)
    },
  })
  worker.start()
  await worker.reached(3)
  assert.deepEqual(asked, [1, 2])
})

test('a step that fails is logged, and the next one follows', async () => {
  const lines: string[] = []
  await using worker = new Countdown(5, { idle: 1, fails: (done) => done === 2, lines })
  worker.start()
  await worker.reached(5)
  assert.equal(lines.length, 1)
  assert.match(lines[0] ?? '', /a step failed/)
})

test('disposal ends a rest, waits for the step under way, and begins none', async () => {
  const worker = new Countdown(1)
  worker.start()
  await worker.reached(1)
  const asked = worker.processSome(1)
  await worker[Symbol.asyncDispose]()
  assert.deepEqual([worker.done, worker.atOnce], [2, 0])
  await asked
})
