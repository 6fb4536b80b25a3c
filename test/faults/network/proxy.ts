import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

export type Side = 'client' | 'server'

export interface Target {
  readonly host: string
  readonly port: number
}

/** A proxy of TCP connections that makes faults. It passes everything on
 *  by default. */
export class FaultProxy implements AsyncDisposable {
  /** Where new connections lead. */
  target: Target
  /** By how many milliseconds each chunk is late, either way. */
  delay = 0
  /** Connections that were broken at once, while it was down. */
  refused = 0
  readonly #server: Server
  readonly #links = new Set<Link>()
  #state: 'well' | 'silent' | 'down' = 'well'
  #cut: Cut | undefined

  private constructor(target: Target) {
    this.target = target
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.#accept(socket))
  }

  static async start(target: Target): Promise<FaultProxy> {
    const proxy = new FaultProxy(target)
    await once(proxy.#server.listen(0, '127.0.0.1'), 'listening')
    return proxy
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** As if a cable were pulled: connections stay open, nothing passes, and neither side notices that the
   *  other is gone. `heal` affects new connections; existing ones stay half-open. */
  silence(): void {
    this.#state = 'silent'
    for (const link of this.#links) link.silence()
  }

  /** Every connection breaks, and each new one does until `heal`. */
  drop(): void {
    this.#state = 'down'
    for (const link of this.#links) link.break()
  }

  heal(): void {
    this.#state = 'well'
    this.delay = 0
  }

  /** Breaks the next connection on which that side says `text`, in one chunk or several, once so many octets of it have
   *  gone through: none of it for 0, all of it by default. With `silently` it becomes half-open. Resolves when that has
   *  happened. */
  cut(from: Side, text: string, { through = text.length, silently = false } = {}): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#cut = { from, text, through, silently, done: resolve }
    return promise
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.drop()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #accept(client: Socket): void {
    if (this.#state === 'down') {
      this.refused++
      return void client.resetAndDestroy()
    }
    const link = new Link(client, connect({ ...this.target, allowHalfOpen: true, noDelay: true }), {
      delay: () => this.delay,
      cutIn: (from, said, known) => this.#cutIn(from, said, known),
    })
    this.#links.add(link)
    link.over.then(() => this.#links.delete(link))
    if (this.#state === 'silent') link.silence()
  }

  /** The place at which to cut the connection. What was sent before does not count. */
  #cutIn(from: Side, said: string, known: number): { at: number; silently: boolean } | undefined {
    const cut = this.#cut
    const at = cut?.from === from ? said.indexOf(cut.text, Math.max(0, known - cut.text.length + 1)) : -1
    if (!cut || at < 0) return undefined
    this.#cut = undefined
    cut.done()
    return { at: at + cut.through, silently: cut.silently }
  }
}

interface Cut {
  readonly from: Side
  readonly text: string
  readonly through: number
  readonly silently: boolean
  readonly done: () => void
}

interface Fate {
  readonly delay: () => number
  /** `known` octets of what was said have gone through. */
  readonly cutIn: (from: Side, said: string, known: number) => { at: number; silently: boolean } | undefined
}

/** So much of what was said before is looked at again, for a text that comes in pieces. */
const REMEMBERED = 200

/** One connection: two sockets, and what is under way between them. */
class Link {
  readonly over: Promise<unknown>
  readonly #sockets: Readonly<Record<Side, Socket>>
  readonly #fate: Fate
  #silent = false

  constructor(client: Socket, server: Socket, fate: Fate) {
    this.#sockets = { client, server }
    this.#fate = fate
    this.over = Promise.all([this.#carry('client', client, server), this.#carry('server', server, client)])
  }

  silence(): void {
    this.#silent = true
  }

  break(): void {
    for (const socket of Object.values(this.#sockets)) {
      // One that is ending cannot be reset (libuv: EINVAL): it would stay open, and keep the process from its end.
      if (socket.writableEnded) socket.destroy()
      else socket.resetAndDestroy()
    }
  }

  #carry(from: Side, source: Socket, target: Socket): Promise<void> {
    let said = ''
    let arrival = 0
    const later = (act: () => void) => {
      const now = performance.now()
      // In order, also where the delay has become less.
      arrival = Math.max(arrival, now + this.#fate.delay())
      if (arrival <= now) act()
      else setTimeout(act, arrival - now).unref()
    }
    source.on('data', (chunk) => {
      if (this.#silent) return
      const before = said.length
      said += chunk.toString('latin1')
      const cut = this.#fate.cutIn(from, said, before)
      if (cut) return this.#end(target, chunk.subarray(0, Math.max(0, cut.at - before)), cut.silently)
      said = said.slice(-REMEMBERED)
      later(() => {
        if (target.destroyed || target.write(chunk)) return
        source.pause()
        target.once('drain', () => source.resume())
      })
    })
    source.on('end', () => !this.#silent && later(() => target.end()))
    // An error ends the connection.
    source.on('error', () => {})
    const { promise, resolve } = Promise.withResolvers<void>()
    source.on('close', () => {
      if (!this.#silent) target.destroySoon()
      resolve()
    })
    return promise
  }

  /** Sends a last piece, then makes the connection half-open. */
  #end(target: Socket, last: Buffer, silently: boolean): void {
    this.#silent = true
    if (silently) target.write(last)
    else target.end(last, () => this.break())
  }
}
