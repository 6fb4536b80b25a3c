import type { Delivery, Outcome, Relay } from '#/ports/relay.ts'

/** Lets no mail leave: for the try-out, whose domain nobody could answer to. */
export class NowhereRelay implements Relay {
  routeOf(_recipient: string): string {
    return 'nowhere'
  }

  async deliver({ recipients }: Delivery): Promise<readonly Outcome[]> {
    return recipients.map((recipient) => ({
      recipient,
      result: 'refused',
      reply: null,
      status: '5.7.1',
      reason: 'This is a try-out, which no mail leaves; set MAILROOM_RELAY_URL, or start with --bare',
      host: null,
      ambiguous: false,
    }))
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
