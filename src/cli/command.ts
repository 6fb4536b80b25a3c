import type { Readable, Writable } from 'node:stream'
import type { Config } from '#/config/config.ts'
import type { Database } from '#/db/open.ts'
import type { Db } from '#/db/schema.ts'
import type { SharedTime } from '#/db/time.ts'
import type { Clock } from '#/ports/clock.ts'
import type { MailHost } from '#/ports/mail-host.ts'
import type { MailMover } from '#/ports/mail-mover.ts'
import type { MailServerControl } from '#/ports/mail-server-control.ts'
import type { TryMailServer } from '#/ports/mail-server-trial.ts'
import type { TryRelay } from '#/ports/relay-trial.ts'
import type { Keyring } from '#/secrets/keyring.ts'

/** What commands work on: that of the running server, or one opened for a single command. */
export interface Operator {
  readonly config: Config
  readonly database: Database
  readonly clock: Clock
  readonly time: SharedTime
  /** The secrets that this installation's keys are derived from, once they prove to be those that the database knows. */
  readonly keyring: (db: Db) => Promise<Keyring>
  readonly mailHost: (db: Db) => Promise<MailHost>
  readonly tryMailServer: TryMailServer
  readonly tryRelay: TryRelay
  /** Undefined where the configuration does not say how the IMAP server is told anything. */
  readonly serverControl: MailServerControl | undefined
  /** Undefined where the configuration names no IMAP server. */
  readonly mailMover: (db: Db) => Promise<(MailMover & AsyncDisposable) | undefined>
  /** What a command has that runs in a process of its own. */
  readonly own?: OwnProcess
}

export interface OwnProcess {
  readonly input: Readable
  readonly output: Writable
  /** Whether the secret that this process was given, or finds, is the one with this fingerprint. */
  readonly hasSecret: (fingerprint: Buffer) => Promise<boolean>
}

/** Hears how far a command that takes long has come. */
export type Tell = (progress: string) => void

/** What a command found or did: `value` is printed as JSON with --json, `text` without; nothing where `value` is undefined. */
export interface Answer {
  readonly value: unknown
  readonly text: string
  /** 0 where nothing is said. */
  readonly exitCode?: number
}

/** An option that takes a value, shown as `--name VALUE`. */
export interface Option {
  readonly value: string
  readonly help: string
  readonly required?: true
  /** Its value is `-` on the command line, where others could see it, and read from standard input. */
  readonly fromInput?: true
}

/** A subcommand that is run against a database. */
export interface Command {
  /** The words that call it: `key create`. */
  readonly name: string
  readonly summary: string
  /** What stands without a dash, all required, in this order. */
  readonly operands: readonly string[]
  readonly options: Readonly<Record<string, Option>>
  run(operator: Operator, given: Readonly<Record<string, string | undefined>>, tell: Tell): Promise<Answer>
}

type Given<Operands extends readonly string[], Options extends Readonly<Record<string, Option>>> = {
  readonly [Name in Operands[number]]: string
} & {
  readonly [Name in keyof Options]: Options[Name] extends { required: true } ? string : string | undefined
}

/** Types what `run` is given by the operands and options named beside it; the parser makes it so. */
export function command<
  const Operands extends readonly string[],
  const Options extends Readonly<Record<string, Option>>,
>(
  definition: Omit<Command, 'operands' | 'options' | 'run'> & {
    readonly operands: Operands
    readonly options: Options
    run(operator: Operator, given: Given<Operands, Options>, tell: Tell): Promise<Answer>
  },
): Command {
  return definition as unknown as Command
}
