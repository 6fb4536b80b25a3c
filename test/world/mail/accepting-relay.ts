import type { Delivery, Outcome, Relay } from '#/ports/relay.ts'

/** Takes everything at once, and notes for whom, in that order. */
export class AcceptingRelay implements Relay {
  readonly taken: string[]
  /** What a message waits for between the record of its end of data and the reply. */
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
