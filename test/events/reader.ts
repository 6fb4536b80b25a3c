import assert from 'node:assert/strict'

export interface StreamedEvent {
  readonly id: string
  /** Of a message that is not in the log: `presence`. */
  readonly name: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it, field by field
  readonly event: any
}

interface Opening {
  readonly key?: string
  readonly cookie?: string
  readonly path?: string
  readonly query?: string
  readonly after?: string | undefined
  readonly accept?: string
}

/** A stream of events, as a client of server-sent events reads it. */
export class EventStream implements AsyncDisposable {
  /** That the client would send as Last-Event-ID. */
  lastEventId: string | undefined
  readonly response: Response
  readonly #leave = new AbortController()
  readonly #frames: AsyncGenerator<string, undefined>

  private constructor(response: Response, leave: AbortController) {
    this.response = response
    this.#leave = leave
    this.#frames = framesOf(response)
  }

  static async open(
    base: string,
    { key, cookie, path = '/v1/events/stream', query = '', after, accept }: Opening,
  ): Promise<EventStream> {
    const leave = new AbortController()
    const response = await fetch(new URL(`${path}${query}`, base), {
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(cookie !== undefined && { cookie }),
        ...(accept !== undefined && { accept }),
        ...(after !== undefined && { 'last-event-id': after }),
      },
      signal: leave.signal,
    })
    assert.equal(response.status, 200)
    return new EventStream(response, leave)
  }

  /** The lines of the next message, or of a comment; undefined once the stream has ended. */
  async frame(): Promise<string | undefined> {
    return (await this.#frames.next()).value
  }

  /** The next event; undefined once the stream has ended. */
  async next(): Promise<StreamedEvent | undefined> {
    for (;;) {
      const frame = await this.frame()
      if (frame === undefined) return undefined
      const fields = new Map(frame.split('\n').map((line) => [line.split(':')[0], line.slice(line.indexOf(':') + 2)]))
      this.lastEventId = fields.get('id') ?? this.lastEventId
      const data = fields.get('data')
      if (data !== undefined) return { id: fields.get('id') ?? '', name: fields.get('event'), event: JSON.parse(data) }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#leave.abort()
    await this.#frames.return(undefined).catch(() => {})
  }
}

async function* framesOf({ body }: Response): AsyncGenerator<string, undefined> {
  assert.ok(body)
  let text = ''
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    text += piece
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      yield text.slice(0, end)
      text = text.slice(end + 2)
    }
  }
}
