import type { PGlite } from '@electric-sql/pglite'

/** The exception by which PGlite reports a longjmp of PostgreSQL, as on every error. */
const longjmp = 100
const blockBytes = 64 * 1024

type Block = Uint8Array<ArrayBuffer>

/** The engine's only session. It runs synchronously: a call returns when PostgreSQL has answered. */
export class DatabaseSession {
  readonly #engine: PGlite
  readonly #die: (cause: unknown) => never
  /** One buffer for all replies: creating and collecting one for each took a quarter of the CPU of a small query. */
  readonly #block = new Uint8Array(blockBytes)

  /** `die` is called when PostgreSQL has ended or panicked; it must not return. */
  constructor(engine: PGlite, die: (cause: unknown) => never) {
    this.#engine = engine
    this.#die = die
    const server = engine.Module
    const loop = server._PostgresMainLoopOnce
    server._PostgresMainLoopOnce = () => {
      try {
        loop()
      } catch (cause) {
        if ((cause as { status?: unknown }).status === longjmp) throw cause
        die(cause)
      }
    }
  }

  /** Processes frontend messages. The server's replies go to `send` in blocks that the receiver may keep. */
  run(batch: Uint8Array, send: (block: Block) => void): void {
    const blocks = new Blocks(this.#block, send)
    this.#engine
      .execProtocolRawStream(batch, { syncToFs: false, onRawData: (bytes) => blocks.add(bytes) })
      .catch(this.#die)
    blocks.flush()
  }

  /** Ends a transaction that a connection left open, so that the next one finds a new session. */
  reset(): void {
    this.run(simpleQuery('rollback'), () => {})
    this.run(simpleQuery('discard all'), () => {})
  }
}

/** PostgreSQL flushes 8 KiB at a time, and large rows whole. Small flushes are joined into blocks of 64 KiB, since a message
 *  between threads costs as much as parsing a few of them. A large one is copied out of WebAssembly memory once. */
class Blocks {
  readonly #block: Block
  readonly #send: (block: Block) => void
  #length = 0

  constructor(block: Block, send: (block: Block) => void) {
    this.#block = block
    this.#send = send
  }

  add(bytes: Uint8Array): void {
    const large = bytes.length >= blockBytes / 2
    if (large || this.#length + bytes.length > blockBytes) this.flush()
    if (large) {
      this.#send(new Uint8Array(bytes))
      return
    }
    this.#block.set(bytes, this.#length)
    this.#length += bytes.length
  }

  flush(): void {
    if (this.#length > 0) this.#send(this.#block.slice(0, this.#length))
    this.#length = 0
  }
}

function simpleQuery(sql: string): Uint8Array {
  const text = Buffer.from(`${sql}\0`)
  const message = Buffer.alloc(5 + text.length)
  message.write('Q')
  message.writeUInt32BE(4 + text.length, 1)
  message.set(text, 5)
  return message
}
