import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Attempt } from '#test/faults/letters/checker.ts'
import { ConcurrentClients } from '#test/faults/letters/concurrent-clients.ts'
import { storeKey } from '#test/world/organization/stored-key.ts'
import type { Fleet } from './fleet.ts'

/** Programs that send mail by the API, one message after the other, at once or scheduled for now. What is not answered is
 *  asked again under its Idempotency-Key, of whichever process there is. */
export class Programs extends ConcurrentClients {
  /** By subject, which is also the recipient's local part. A stored message is stored once. */
  readonly messages = new Map<string, { attempts: number; acknowledged: boolean }>()
  /** Counts of failures, by status or error code. */
  readonly failures = new Map<string, number>()
  readonly #fleet: Fleet

  constructor(fleet: Fleet) {
    super()
    this.#fleet = fleet
  }

  async start(count: number): Promise<void> {
    const { db, organization } = this.#fleet
    for (let n = 0; n < count; n++) {
      // A key has 600 requests a minute.
      this.begin(this.#work(await storeKey(db, organization.organizationId)))
    }
  }

  /** For the checker, of what arrives: a second copy comes where a worker died at the end of data. */
  sendings(): Map<string, Attempt> {
    return new Map(
      [...this.messages].map(([name, message]) => [name, { ...message, attempts: Number.MAX_SAFE_INTEGER }]),
    )
  }

  async #work(key: string): Promise<void> {
    while (!this.stopping) {
      const name = randomUUID()
      const message = { attempts: 1, acknowledged: false }
      this.messages.set(name, message)
      const scheduled = Math.random() < 0.5
      const { organization } = this.#fleet
      const fields = { from: organization.addresses[0], to: `${name}@there.example`, subject: name, text: 'Hello' }
      const body = scheduled ? { ...fields, send_at: new Date().toISOString() } : fields
      while (!message.acknowledged && !this.gone) {
        const outcome = await this.#ask(scheduled ? '/v1/scheduled' : '/v1/send', key, name, body)
        message.acknowledged = outcome === (scheduled ? '201' : '202')
        if (!message.acknowledged) this.failures.set(outcome, (this.failures.get(outcome) ?? 0) + 1)
        // Its time was now for a minute.
        if (scheduled && outcome === '400') break
        await setTimeout(50 + Math.random() * 200)
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
