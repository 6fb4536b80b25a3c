import { FixedShare, type MemoryShare, MessageMemory } from '#/smtp/connection/message-memory.ts'
import type { ImapLimits } from './limits.ts'

/** Memory for the literals of all connections, until their commands are carried out. */
export class LiteralMemory {
  readonly all: MessageMemory
  readonly #least: number
  readonly #clients: number
  /** Octets by organization, of those that hold some. */
  readonly #held = new Map<string, number>()

  constructor({ memory, slow, messageSize }: Pick<ImapLimits, 'memory' | 'slow' | 'messageSize'>) {
    this.all = new MessageMemory(memory, slow)
    this.#least = messageSize
    this.#clients = Math.max(messageSize, memory / 2)
  }

  /** Of a client's network, before it has signed in. */
  shareOfClient(): MemoryShare {
    return new FixedShare(this.#clients)
  }

  /** Of an organization: at least one message, and as much as it leaves free, so that there is room for the next, whatever some hold
   *  (src/base/event-loop/fair-share.ts). */
  shareOf(organizationId: string): MemoryShare {
    return new OrganizationShare(organizationId, this)
  }

  /** What an organization may hold in addition. */
  freeFor(organizationId: string): number {
    const held = this.#held.get(organizationId) ?? 0
    return Math.max(this.#least, Math.floor((this.all.free + held) / 2)) - held
  }

  hold(organizationId: string, octets: number): void {
    const held = (this.#held.get(organizationId) ?? 0) + octets
    if (held > 0) this.#held.set(organizationId, held)
    else this.#held.delete(organizationId)
  }
}

class OrganizationShare implements MemoryShare {
  readonly #organizationId: string
  readonly #memory: LiteralMemory

  constructor(organizationId: string, memory: LiteralMemory) {
    this.#organizationId = organizationId
    this.#memory = memory
  }

  get free(): number {
    return this.#memory.freeFor(this.#organizationId)
  }

  hold(octets: number): void {
    this.#memory.hold(this.#organizationId, octets)
  }
}
