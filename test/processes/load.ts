import { Senders } from '#test/faults/letters/senders.ts'
import type { Fleet } from './fleet.ts'
import { Programs } from './programs.ts'

/** Mail that streams into a fleet from senders, and out of it from programs. */
export class Load implements Disposable {
  readonly senders: Senders
  readonly programs: Programs

  private constructor(fleet: Fleet) {
    this.senders = new Senders(async () => (await fleet.some('mx')).smtp.port, fleet.busy)
    this.programs = new Programs(fleet)
  }

  /** From so many of each. */
  static async on(fleet: Fleet, { senders = 3, programs = 3 } = {}): Promise<Load> {
    const load = new Load(fleet)
    load.senders.start(senders)
    await load.programs.start(programs)
    return load
  }

  /** Nothing new: what is under way is tried until it is answered. */
  async stop(): Promise<void> {
    await Promise.all([this.senders.stop(), this.programs.stop()])
  }

  /** Whatever is under way is left as it is. */
  [Symbol.dispose](): void {
    this.senders[Symbol.dispose]()
    this.programs[Symbol.dispose]()
  }
}
