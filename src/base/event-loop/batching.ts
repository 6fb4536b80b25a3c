import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'

/** How often a waiting batch checks for more calls, in milliseconds. */
const glance = 1

/** In place of a result: why one of a batch could not be done. */
export class Failed {
  readonly error: unknown

  constructor(error: unknown) {
    this.error = error
  }
}

/** Does work for a batch together, in one transaction, say, and if that fails for each of it alone: one that cannot be done affects no
 *  other. Answers for each in order. */
export async function togetherOrEach<In, Out>(
  batch: readonly In[],
  work: (some: readonly In[]) => Promise<readonly Out[]>,
  /** Asked after each failure. If false, the others are not tried alone, and fail with the same error. */
  othersMayDo: (error: unknown) => boolean = () => true,
): Promise<readonly (Out | Failed)[]> {
  let forAll: Failed | undefined
  const attempt = async (some: readonly In[]): Promise<readonly (Out | Failed)[]> => {
    if (forAll) return some.map(() => forAll as Failed)
    try {
      return await work(some)
    } catch (error) {
      const failed = new Failed(error)
      if (!othersMayDo(error)) forAll = failed
      return some.map(() => failed)
    }
  }
  const together = batch.length > 0 ? await attempt(batch) : []
  if (batch.length < 2 || !(together[0] instanceof Failed)) return together
  const each: (Out | Failed)[] = []
  for (const one of batch) each.push(...(await attempt([one])))
  return each
}

/** Combines calls into batches. Calls during a batch wait and form the next one, so that each costs less the more there are. */
export function batched<In, Out>(
  /** If it throws, all calls of the batch fail. */
  work: (batch: readonly In[]) => Promise<readonly (Out | Failed)[]>,
  /** The number of waiting calls in the next batch. */
  next: (waiting: readonly In[]) => number,
  /** The longest wait of a batch for more calls, in milliseconds. Without `full` it ends once no call comes and the event loop
   *  is idle. `this turn`: until the end of this turn of the event loop. */
  delay: () => number | 'this turn' = () => 0,
  /** A batch of so many calls starts at once; a smaller one waits for the whole time. */
  full?: number,
): (one: In) => Promise<Out> {
  const waiting: In[] = []
  const promised: PromiseWithResolvers<Out>[] = []
  let working = false

  // While the event loop has work, others may be about to call, and waiting for them costs nothing.
  const othersCame = async (milliseconds: number) => {
    const end = performance.now() + milliseconds
    const mayCome = (before: number, busy: boolean) =>
      full === undefined ? waiting.length > before || busy : waiting.length < full
    for (let before = 0, busy = true; mayCome(before, busy) && performance.now() < end; ) {
      before = waiting.length
      const idleBefore = performance.nodeTiming.idleTime
      await wait(glance)
      busy = performance.nodeTiming.idleTime - idleBefore < glance / 2
    }
  }

  const workOff = async () => {
    working = true
    while (waiting.length > 0) {
      const milliseconds = delay()
      if (milliseconds === 'this turn') await turn()
      else if (milliseconds > 0) await othersCame(milliseconds)
      const count = next(waiting)
      const batch = waiting.splice(0, count)
      const done = promised.splice(0, count)
      try {
        const results = await work(batch)
        for (const [at, { resolve, reject }] of done.entries()) {
          const result = results[at] as Out | Failed
          if (result instanceof Failed) reject(result.error)
          else resolve(result)
        }
      } catch (error) {
        for (const { reject } of done) reject(error)
      }
    }
    working = false
  }

  return (one) => {
    const done = Promise.withResolvers<Out>()
    waiting.push(one)
    promised.push(done)
    if (!working) void workOff()
    return done.promise
  }
}
