/** How long one connection may hold the event loop, in milliseconds. */
const longest = 8
/** Reading the clock takes as long as reading a short response. */
const looksApart = 16

/** Says when one connection has held the event loop for long enough: a socket may have two MiB of short responses at once. */
export class TimeSlice {
  #end = 0
  #count = 0

  isOver(): boolean {
    if (this.#count++ % looksApart > 0) return false
    const now = performance.now()
    if (this.#end > 0) return now > this.#end
    this.#end = now + longest
    setImmediate(() => {
      this.#end = 0
      this.#count = 0
    })
    return false
  }
}
