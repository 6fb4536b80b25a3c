import type { Delivery, Outcome, Relay } from '#/out/relay/relay.ts'

/** Accepts everything at once, and records the recipients in order. */
export class AcceptingRelay implements Relay {
  readonly taken: string[]
  /** Awaited between the record of the end of data and the reply. */
  gate: () => Promise<void> = async () => {}

  constructor(taken: string[] = []) {
    this.taken = taken
  }

  routeOf(): string {
    return 'taking'
  }

  async deliver({ recipients, beforeEndOfData }: Delivery): Promise<readonly Outcome[]> {
    await beforeEndOfData(recipients)
    await this.gate()
    this.taken.push(...recipients)
    const said = { result: 'delivered', reply: '250 Ok', status: '2.0.0', reason: 'Ok' } as const
    return recipients.map((recipient) => ({ recipient, ...said, host: 'taking', ambiguous: false }))
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
