/** Over how long a sender's pace is measured, in milliseconds. */
const span = 5_000

/** Memory for the messages of a listener while they come in. Where it is all taken, who is slow gives way to who is not: else a
 *  few senders who begin fast and then fall silent would keep all others out until their time is over. */
export class Memory {
  readonly slow: number
  readonly now: () => number
  readonly holders = new Set<Room>()
  free: number

  /** @param slow a message that would take this long to come as far once more gives way, in milliseconds */
  constructor(octets: number, slow: number, now = () => performance.now()) {
    this.free = octets
    this.slow = slow
    this.now = now
  }

  /** Has the slowest give way, if it is slow, and slower than the one that asks. */
  makeRoomFor(asking: Room): boolean {
    const slowest = this.#slowest(asking, Math.max(this.slow, asking.slowness))
    return slowest?.giveWay() ?? false
  }

  /** How much would be free if all did that are slow. */
  get freeAtMost(): number {
    return Array.from(this.holders).reduce(
      (sum, { slowness, held }) => sum + (slowness > this.slow ? held : 0),
      this.free,
    )
  }

  #slowest(except: Room, than: number): Room | undefined {
    let slowest: Room | undefined
    let most = than
    for (const room of this.holders) {
      const { slowness } = room
      if (room === except || slowness <= most) continue
      slowest = room
      most = slowness
    }
    return slowest
  }
}

/** A client's part of the memory. */
export interface Share {
  free: number
}

/** What one session holds of the memory, for one message after another. */
export class Room {
  /** Octets of the message that it takes now. */
  held = 0
  readonly #memory: Memory
  readonly #share: Share
  readonly #hangUp: () => void
  /** Octets a millisecond, of late. */
  #pace = 0
  #measured = 0
  /** The message is here as a whole. */
  #whole = false
  #over = false

  /** @param hangUp ends the session: its message is not waited for any more */
  constructor(memory: Memory, share: Share, hangUp: () => void) {
    this.#memory = memory
    this.#share = share
    this.#hangUp = hangUp
  }

  /** Whether a message of that size might find room. */
  fits(octets: number): boolean {
    const memory = this.#memory
    return octets <= this.#share.free && (octets <= memory.free || octets <= memory.freeAtMost)
  }

  /** False where so many octets more would be too many. */
  take(octets: number): boolean {
    const memory = this.#memory
    if (this.#over || octets > this.#share.free) return false
    this.#measure(octets)
    this.held += octets
    while (octets > memory.free) {
      if (memory.makeRoomFor(this)) continue
      this.held -= octets
      return false
    }
    memory.free -= octets
    this.#share.free -= octets
    memory.holders.add(this)
    return true
  }

  /** The message has come: it will not be long now until its room is given back. */
  done(): void {
    this.#whole = true
  }

  /** Of the message, or of as much of it as was not given back when this gave way. */
  give(octets: number): void {
    const given = Math.min(octets, this.held)
    this.held -= given
    this.#memory.free += given
    this.#share.free += given
    if (this.held > 0) return
    this.#memory.holders.delete(this)
    this.#pace = 0
    this.#measured = 0
    this.#whole = false
  }

  /** How long it would take, at the pace of late, to send as much again as is held, in milliseconds: of who sends steadily
   *  how long it has been sending, of who has fallen silent ever more. */
  get slowness(): number {
    if (this.held === 0 || this.#whole) return 0
    return this.held / (this.#pace * this.#fading)
  }

  giveWay(): boolean {
    this.#over = true
    this.#hangUp()
    this.give(this.held)
    return true
  }

  #measure(octets: number): void {
    this.#pace = this.#pace * this.#fading + octets / span
    this.#measured = this.#memory.now()
  }

  get #fading(): number {
    return Math.exp((this.#measured - this.#memory.now()) / span)
  }
}
