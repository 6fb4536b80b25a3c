import type { Delivery, Outcome, Relay } from '#/out/relay/relay.ts'

/** Refuses all mail: for the try-out, to whose domain nobody could reply. */
export class RefusingRelay implements Relay {
  routeOf(_recipient: string): string {
    return 'nowhere'
  }

  async deliver({ recipients }: Delivery): Promise<readonly Outcome[]> {
    return recipients.map((recipient) => ({
      recipient,
      result: 'refused',
      reply: null,
      status: '5.7.1',
      reason: 'The try-out sends no mail; set MAILROOM_RELAY_URL, or start with --bare',
      host: null,
      ambiguous: false,
    }))
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
