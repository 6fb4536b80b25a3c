import type { Readable, Writable } from 'node:stream'
import type { Config } from '#/app/config/config.ts'
import type { Clock } from '#/base/clock/clock.ts'
import type { Database } from '#/base/db/open.ts'
import type { Db } from '#/base/db/schema.ts'
import type { SharedTime } from '#/base/db/time.ts'
import type { Keyring } from '#/base/secrets/keyring.ts'
import type { TryRelay } from '#/out/relay/relay-trial.ts'

/** The dependencies of commands: those of the running server, or opened for a single command. */
export interface Operator {
  readonly config: Config
  readonly database: Database
  readonly clock: Clock
  readonly time: SharedTime
  /** The secrets of this installation. Fails unless they are those that the database knows. */
  readonly keyring: (db: Db) => Promise<Keyring>
  readonly tryRelay: TryRelay
  /** Undefined for a command that runs in the server's process. */
  readonly own?: OwnProcess
}

export interface OwnProcess {
  readonly input: Readable
  readonly output: Writable
  /** Whether this process has the secret with this fingerprint. */
  readonly hasSecret: (fingerprint: Buffer) => Promise<boolean>
}

/** Gets the progress of a long command. */
export type OnProgress = (progress: string) => void

/** What a command prints: `value` as JSON with --json, `text` without; nothing if `value` is undefined. */
export interface Answer {
  readonly value: unknown
  readonly text: string
  /** 0 by default. */
  readonly exitCode?: number
}

/** An option that takes a value, shown as `--name VALUE`. */
export interface Option {
  readonly value: string
  readonly help: string
  readonly required?: true
  /** The value is read from standard input, since others can see a command line; there it must be `-`. */
  readonly fromInput?: true
}

/** A subcommand that needs a database. */
export interface Command {
  /** `key create`. */
  readonly name: string
  readonly summary: string
  /** Arguments without a dash, all required, in this order. */
  readonly operands: readonly string[]
  readonly options: Readonly<Record<string, Option>>
  run(operator: Operator, given: Readonly<Record<string, string | undefined>>, onProgress: OnProgress): Promise<Answer>
}

type Given<Operands extends readonly string[], Options extends Readonly<Record<string, Option>>> = {
  readonly [Name in Operands[number]]: string
} & {
  readonly [Name in keyof Options]: Options[Name] extends { required: true } ? string : string | undefined
}

/** Derives the type of `given` from the operands and options. The parser guarantees it. */
export function command<
  const Operands extends readonly string[],
  const Options extends Readonly<Record<string, Option>>,
>(
  definition: Omit<Command, 'operands' | 'options' | 'run'> & {
    readonly operands: Operands
    readonly options: Options
    run(operator: Operator, given: Given<Operands, Options>, onProgress: OnProgress): Promise<Answer>
  },
): Command {
  return definition as unknown as Command
}
