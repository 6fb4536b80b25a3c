import { Senders } from '#test/faults/letters/senders.ts'
import type { Fleet } from './fleet.ts'
import { Programs } from './programs.ts'

/** Continuous mail from senders to a fleet, and from programs through it. */
export class Load implements Disposable {
  readonly senders: Senders
  readonly programs: Programs

  private constructor(fleet: Fleet) {
    this.senders = new Senders(async () => (await fleet.some('mx')).smtp.port, fleet.busy)
    this.programs = new Programs(fleet, this.senders)
  }

  /** From so many of each. */
  static on(fleet: Fleet, { senders = 3, programs = 3 } = {}): Load {
    const load = new Load(fleet)
    load.senders.start(senders)
    load.programs.start(programs)
    return load
  }

  /** Stops new work; current work is retried until it is answered. */
  async stop(): Promise<void> {
    await Promise.all([this.senders.stop(), this.programs.stop()])
  }

  /** Abandons current work. */
  [Symbol.dispose](): void {
    this.senders[Symbol.dispose]()
    this.programs[Symbol.dispose]()
  }
}
