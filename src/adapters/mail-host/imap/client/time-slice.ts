/** How long one connection may have the event loop, in milliseconds. */
const longest = 8
/** To look at the clock takes as long as to read a short response. */
const looksApart = 16

/** Says when one connection has had the event loop for long enough: however short responses are, a socket may have two MiB of
 *  them at once. */
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
