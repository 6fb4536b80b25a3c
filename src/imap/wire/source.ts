import type { Readable, TransformOptions } from 'node:stream'
import { createInflateRaw, type InflateRaw, type ZlibOptions } from 'node:zlib'
import { ClientGone } from '#/smtp/connection/smtp-reader.ts'

/** Where a client's octets come from. Nothing is read from it before it is asked for more than one chunk, so that a client that does
 *  not wait fills only the kernel's buffers. */
export interface Source {
  /** What has come; null if nothing has yet, in which case `wake` is called once that may have changed. Throws `ClientGone` if
   *  nothing will come. */
  read(): Buffer | null
  /** Stops to read, and gives no sign any more. */
  release(): void
}

export class SocketSource implements Source {
  readonly #socket: Readable
  readonly #wake: () => void
  #isOver = false
  readonly #onOver = () => {
    this.#isOver = true
    this.#wake()
  }

  constructor(socket: Readable, wake: () => void) {
    this.#socket = socket
    this.#wake = wake
    socket.on('readable', wake)
    socket.on('end', this.#onOver)
    socket.on('close', this.#onOver)
  }

  read(): Buffer | null {
    const chunk = this.#socket.read() as Buffer | null
    if (!chunk && (this.#isOver || this.#socket.destroyed)) throw new ClientGone()
    return chunk
  }

  release(): void {
    this.#socket.off('readable', this.#wake)
    this.#socket.off('end', this.#onOver)
    this.#socket.off('close', this.#onOver)
  }
}

const NOTHING = Buffer.alloc(0)
/** Octets that are kept inflated at a time: what a few octets expand to is not made before it is read. */
const inflated = 16 * 1024
const options: ZlibOptions & TransformOptions = { chunkSize: inflated, highWaterMark: inflated }

/** Inflates what another source has (RFC 4978). The next chunk is taken from it once the one before is inflated and read. */
export class InflatedSource implements Source {
  readonly #source: Source
  readonly #inflate: InflateRaw = createInflateRaw(options)
  #first: Buffer
  #isBusy = false
  #isBroken = false

  /** @param first octets that were read from the source already */
  constructor(source: Source, first: Buffer, wake: () => void) {
    this.#source = source
    this.#first = first
    const broken = () => {
      this.#isBroken = true
      wake()
    }
    this.#inflate.on('readable', wake).once('error', broken).once('end', broken)
    this.#inflated = () => {
      this.#isBusy = false
      wake()
    }
  }

  readonly #inflated: () => void

  read(): Buffer | null {
    const chunk = this.#inflate.read() as Buffer | null
    if (chunk) return chunk
    if (this.#isBroken) throw new ClientGone()
    const packed = this.#isBusy ? null : this.#first.length > 0 ? this.#first : this.#source.read()
    if (packed) {
      this.#first = NOTHING
      this.#isBusy = true
      this.#inflate.write(packed, this.#inflated)
    }
    return null
  }

  release(): void {
    this.#source.release()
    this.#inflate.removeAllListeners('readable')
    this.#inflate.on('error', () => {})
    this.#inflate.close()
  }
}
