import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import type pg from 'pg'
import { queryAfterBegin } from './begin.ts'
import { answersOctets, OctetsReply } from './octets.ts'
import type { Silence } from './silence.ts'
import { answerTo, statementOf } from './statement.ts'
import { timeLeft } from './time-left.ts'

/** How often a statement is run before it gets a name. Statements with varying text never do. */
const seldom = 5
/** The most named and counted statements. A server keeps a plan per name and connection. */
const mostNames = 500
const mostCounted = 5_000

export interface Preparing {
  readonly server?: Limiting | undefined
  readonly announced?: (() => void) | undefined
}

/** A server that aborts a statement at its limit. */
interface Limiting {
  readonly silence: Silence
  /** The limit of a new connection, in milliseconds. */
  readonly limit: number
}

type Answer = Pick<pg.QueryResult, 'command' | 'rowCount' | 'rows'>

const preparedBegin = { name: 'begin', text: 'begin' }

/** The comment of statements whose commit others are to be notified of. */
const announcing = '/* announced */'

/** The pool, with names for frequent statements (PostgreSQL protocol 3, "Extended Query"), so that a connection parses and
 *  plans them once. Planning is most of a short statement's time: the lookup of a recipient, over seven tables, takes 0.35
 *  ms instead of 7 on the embedded database. New statistics make the server plan again. A new column makes it refuse
 *  statements that select all columns, so none does. A transaction begins with its first statement, without a round trip of
 *  its own (begin.ts).
 *  `announced` is called after the commit of a transaction with a statement that has the comment; outside of one each
 *  statement commits. Octets of a statement that has another comment come as they are (octets.ts).
 *  It is given for each limit, in milliseconds, that a server sets to the wait for a connection and a statement together. */
export function preparing(pool: pg.Pool, { server, announced }: Preparing = {}): (limit?: number) => PostgresPool {
  const names = new StatementNames()
  const clients = new WeakMap<pg.PoolClient, PreparingClient>()
  return (limit = server?.limit ?? 0) => ({
    options: pool.options,
    async connect() {
      const since = performance.now()
      const connected = pool.connect()
      const client = await (server ? server.silence.connecting(connected) : connected)
      const known = clients.get(client) ?? new PreparingClient(client, names, server, announced)
      clients.set(client, known)
      if (server) await known.limitTo(timeLeft(limit, performance.now() - since))
      return known
    },
    end: () => pool.end(),
  })
}

class PreparingClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient
  readonly #names: StatementNames
  readonly #silence: Silence | undefined
  /** Of a statement, as the server knows it. */
  #limit: number
  readonly #announced: (() => void) | undefined
  /** Whether a transaction is open. */
  #isOpen = false
  /** Whether it has announced its commit. */
  #announces = false
  /** Whether `begin` is prepared on the connection. */
  #knowsBegin = false
  /** A transaction without a statement so far. */
  #toBegin = false

  constructor(client: pg.PoolClient, names: StatementNames, server?: Limiting, announced?: () => void) {
    this.#client = client
    this.#names = names
    this.#silence = server?.silence
    this.#limit = server?.limit ?? 0
    this.#announced = announced
  }

  /** Has the server abort statements after so many milliseconds, until it is told another time. */
  async limitTo(limit: number): Promise<void> {
    if (limit === this.#limit) return
    try {
      await this.#answered(this.#client.query(`set statement_timeout = ${limit}`))
      this.#limit = limit
    } catch (error) {
      this.release(true)
      throw error
    }
  }

  query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  query(text: unknown, values: readonly unknown[] = []): unknown {
    if (typeof text !== 'string') throw new Error('No cursor is set up')
    if (text === 'begin') {
      this.#isOpen = true
      this.#announces = false
      return this.#begin()
    }
    const answered = this.#toBegin ? this.#first(text, values) : this.#send(text, values)
    if (text.includes(announcing)) this.#announces = true
    if (text === 'commit' || text === 'rollback') this.#isOpen = false
    if (!this.#isOpen) this.#committed(text, answered)
    return answered
  }

  /** After the end of a transaction, or a statement outside of one. */
  #committed(text: string, answered: Promise<Answer>): void {
    if (this.#announces && text !== 'rollback') answered.then(this.#announced, () => {})
    this.#announces = false
  }

  async #begin(): Promise<Answer> {
    this.#toBegin = this.#knowsBegin
    if (!this.#knowsBegin) await this.#answered(this.#client.query(preparedBegin))
    this.#knowsBegin = true
    return { command: 'BEGIN', rowCount: 0, rows: [] }
  }

  /** The first statement of a transaction, or its end if it has none. */
  async #first(text: string, values: readonly unknown[]): Promise<Answer> {
    this.#toBegin = false
    if (text === 'commit') return { command: 'COMMIT', rowCount: 0, rows: [] }
    if (text === 'rollback') return { command: 'ROLLBACK', rowCount: 0, rows: [] }
    return this.#run(text, values, (statement) => queryAfterBegin(this.#client, preparedBegin.name, statement))
  }

  #send(text: string, values: readonly unknown[]): Promise<Answer> {
    return this.#run(text, values, (statement) => answerTo(this.#client, statement))
  }

  async #run(
    text: string,
    values: readonly unknown[],
    send: (statement: pg.Query) => Promise<Answer>,
  ): Promise<Answer> {
    const statement = statementOf(text, values, values.length > 0 ? this.#names.nameOf(text) : undefined)
    const reply = text.includes(answersOctets) ? new OctetsReply(statement) : undefined
    const answer = await this.#answered(send(statement))
    return reply ? { ...answer, rows: reply.parts ? [{ octets: reply.parts }] : [] } : answer
  }

  #answered<T>(answer: Promise<T>): Promise<T> {
    return this.#silence ? this.#silence.answer(this.#client, answer, this.#limit) : answer
  }

  release(destroy?: boolean): void {
    this.#toBegin = this.#isOpen = false
    this.#client.release(destroy)
  }
}

/** The names of frequent statements. */
export class StatementNames {
  readonly #names = new Map<string, string>()
  readonly #counts = new Map<string, number>()

  nameOf(text: string): string | undefined {
    const known = this.#names.get(text)
    if (known !== undefined || this.#names.size >= mostNames) return known
    const count = (this.#counts.get(text) ?? 0) + 1
    if (count < seldom) {
      if (this.#counts.size >= mostCounted) this.#counts.clear()
      this.#counts.set(text, count)
      return undefined
    }
    this.#counts.delete(text)
    const name = `m${this.#names.size}`
    this.#names.set(text, name)
    return name
  }
}
