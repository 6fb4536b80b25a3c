import { randomUUID } from 'node:crypto'
import type { Attempt } from '#test/faults/letters/checker.ts'
import { ConcurrentClients } from '#test/faults/letters/concurrent-clients.ts'
import type { Senders } from '#test/faults/letters/senders.ts'
import { storeKey } from '#test/world/organization/stored-key.ts'
import type { Fleet } from './fleet.ts'

/** Programs that send mail by the API, one message after the other, at once or scheduled for now. What is not answered is
 *  asked again under its Idempotency-Key, of whichever process there is. Each waits in between for so much mail that comes in. */
export class Programs extends ConcurrentClients {
  /** By subject, which is also the recipient's local part. A stored message is stored once. */
  readonly messages = new Map<string, { attempts: number; acknowledged: boolean }>()
  /** Counts of failures, by status or error code. */
  readonly failures = new Map<string, number>()
  readonly #fleet: Fleet
  readonly #senders: Senders

  constructor(fleet: Fleet, senders: Senders) {
    super()
    this.#fleet = fleet
    this.#senders = senders
  }

  start(count: number): void {
    for (let n = 0; n < count; n++) this.begin(this.#work())
  }

  /** For the checker, of what arrives: a second copy comes where a worker died at the end of data. */
  sendings(): Map<string, Attempt> {
    return new Map(
      [...this.messages].map(([name, message]) => [name, { ...message, attempts: Number.MAX_SAFE_INTEGER }]),
    )
  }

  async #work(): Promise<void> {
    const { db, organization } = this.#fleet
    let key = ''
    for (let count = 0; !this.stopping; count++) {
      // One has 600 requests a minute.
      if (count % 300 === 0) key = await storeKey(db, organization.organizationId)
      const name = randomUUID()
      const message = { attempts: 1, acknowledged: false }
      this.messages.set(name, message)
      const scheduled = Math.random() < 0.5
      const fields = { from: organization.addresses[0], to: `${name}@there.example`, subject: name, text: 'Hello' }
      const body = scheduled ? { ...fields, send_at: new Date().toISOString() } : fields
      while (!message.acknowledged && !this.gone) {
        const outcome = await this.#ask(scheduled ? '/v1/scheduled' : '/v1/send', key, name, body)
        message.acknowledged = outcome === (scheduled ? '201' : '202')
        if (!message.acknowledged) this.failures.set(outcome, (this.failures.get(outcome) ?? 0) + 1)
        // Its time was now for a minute.
        if (scheduled && outcome === '400') break
        await Promise.race([this.#senders.see(10, 'answered'), this.ending])
      }
    }
  }

  /** The status of the answer, or the code of the error that came in its place. */
  async #ask(path: string, key: string, name: string, body: object): Promise<string> {
    const { http } = await this.#fleet.some('api')
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': name }
    try {
      const answer = await fetch(`${http}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      await answer.arrayBuffer()
      return String(answer.status)
    } catch (error) {
      return codeOf(error)
    }
  }
}

/** fetch hides the cause of an error. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause as { code?: string } | undefined) : undefined
  return cause?.code ?? String(error)
}
