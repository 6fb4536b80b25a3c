import pg from 'pg'
import { StatementNames } from './prepared.ts'
import type { Silence } from './silence.ts'
import { answerTo, statementOf } from './statement.ts'
import { timeLeft } from './time-left.ts'

/** More lanes would spread statements that could be sent together. */
const mostLanes = 3
/** Statements that may wait on a lane before the next lane is used. */
const mostWaiting = 16

/** With the limit of a statement, in milliseconds. */
type LaneConfig = pg.ClientConfig & { readonly statement_timeout: number }

/** A few connections to a server, shared by short statements of many requests. Statements of one turn of the event loop are
 *  sent in one write, and none waits for the reply to another: a quarter to a third less CPU for GET /v1/labels
 *  (docs/adr/pg-lanes.md). Statements that read much or may wait for a lock do not belong here, since those behind them
 *  would wait too. */
export class Lanes implements AsyncDisposable {
  readonly #lanes: readonly Lane[]

  constructor(config: LaneConfig, silence: Silence) {
    const names = new StatementNames()
    this.#lanes = Array.from({ length: mostLanes }, () => new Lane({ ...config, pipeline: true }, names, silence))
  }

  async query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]): Promise<pg.QueryResult<Row>> {
    const free = this.#lanes.find(({ waiting }) => waiting < mostWaiting)
    const lane = free ?? this.#lanes.reduce((one, other) => (other.waiting < one.waiting ? other : one))
    return await lane.query<Row>(text, values)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.end()))
  }
}

class Lane {
  /** Statements without a reply. */
  waiting = 0
  readonly #config: LaneConfig
  readonly #names: StatementNames
  readonly #silence: Silence
  #client: Promise<pg.Client> | undefined
  #ended = false

  constructor(config: LaneConfig, names: StatementNames, silence: Silence) {
    this.#config = config
    this.#names = names
    this.#silence = silence
  }

  async query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]): Promise<pg.QueryResult<Row>> {
    if (this.#ended) throw new Error('The database has been closed')
    this.waiting++
    const since = performance.now()
    try {
      const client = await this.#silence.connecting(this.#client ?? this.#connect())
      const connected = performance.now()
      const { stream } = client.connection
      // Corked until all statements of this turn are there.
      if (stream.writableCorked === 0) {
        stream.cork()
        setImmediate(() => stream.uncork())
      }
      const answer = answerTo<Row>(client, statementOf(text, values, this.#names.nameOf(text)))
      return await this.#silence.answer(client, answer, timeLeft(this.#config.statement_timeout, connected - since))
    } finally {
      this.waiting--
    }
  }

  #connect(): Promise<pg.Client> {
    const client = new pg.Client(this.#config)
    const connected = client.connect()
    const lost = () => {
      if (this.#client === connected) this.#client = undefined
    }
    // Waiting callers get the error; the next caller gets another connection.
    client.on('error', lost).on('end', lost)
    connected.catch(lost)
    this.#client = connected
    return connected
  }

  async end(): Promise<void> {
    this.#ended = true
    const client = await this.#client?.catch(() => undefined)
    await client?.end()
  }
}
