import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ResponseSplitter } from './response-splitter.ts'
import { TimeSlice } from './time-slice.ts'

/** Handles the response in the bytes from `start` to `end`, which are valid until it returns. */
type Handler = (bytes: Buffer, start: number, end: number) => Promise<unknown> | undefined

/** Passes on whole responses in order, each once the one before has been handled. Meanwhile it reads nothing. */
export class Receiver {
  readonly #splitter = new ResponseSplitter()
  readonly #timeSlice = new TimeSlice()
  readonly #handle: Handler
  readonly #fail: (cause: unknown) => void
  #paused = false

  constructor(handle: Handler, fail: (cause: unknown) => void) {
    this.#handle = handle
    this.#fail = fail
  }

  push(bytes: Buffer, socket: Socket): void {
    this.#splitter.push(bytes)
    if (!this.#paused) this.#handleAll(socket)
  }

  #handleAll(socket: Socket): void {
    try {
      while (this.#splitter.next()) {
        const { bytes, start, end } = this.#splitter
        const pending = this.#handle(bytes, start, end) ?? (this.#timeSlice.isOver() ? nextTurn() : undefined)
        if (!pending) continue
        this.#pauseFor(pending, socket)
        return
      }
    } catch (cause) {
      this.#fail(cause)
    }
  }

  #pauseFor(pending: Promise<unknown>, socket: Socket): void {
    this.#paused = true
    socket.pause()
    pending.then(() => {
      this.#paused = false
      if (socket.destroyed) return
      socket.resume()
      this.#handleAll(socket)
    }, this.#fail)
  }
}
