import { parseArgs } from 'node:util'
import type { Command } from './command.ts'

/** The command line is invalid; nothing was done. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

export interface Call {
  readonly command: Command
  /** Operands and options by name. */
  readonly given: Readonly<Record<string, string | undefined>>
  readonly json: boolean
  readonly help: boolean
}

/** Finds the command and its arguments. Throws UsageError. */
export function parseCall(argv: readonly string[], commands: readonly Command[]): Call {
  const command = commandOf(argv, commands)
  const words = command.name.split(' ').length
  const { values, positionals } = parseRest(argv.slice(words), command)
  const { json = false, help = false, ...options } = values
  if (help) return { command, given: {}, json: false, help: true }
  const given = { ...operandsOf(command, positionals), ...(options as Record<string, string | undefined>) }
  for (const [name, option] of Object.entries(command.options))
    if (option.required && given[name] === undefined)
      throw new UsageError(`--${name} is missing\nUsage: ${usageOf(command)}`)
  return { command, given, json: json === true, help: false }
}

/** `mailroom key create --org NAME --scopes LIST [--name TEXT]`. */
export function usageOf({ name, operands, options }: Pick<Command, 'name' | 'operands' | 'options'>): string {
  const pieces = Object.entries(options).map(([option, { value, required }]) =>
    required ? `--${option} ${value}` : `[--${option} ${value}]`,
  )
  return ['mailroom', name, ...operands.map((operand) => operand.toUpperCase()), ...pieces, '[--json]'].join(' ')
}

function commandOf(argv: readonly string[], commands: readonly Command[]): Command {
  const found = commands.filter(({ name }) => name.split(' ').every((word, at) => argv[at] === word))
  const longest = found.toSorted((one, other) => other.name.length - one.name.length)[0]
  if (longest) return longest
  const words = argv.slice(0, argv.findIndex((word) => word.startsWith('-')) >>> 0)
  const group = commands.filter(({ name }) => name.split(' ')[0] === words[0])
  if (group.length > 0)
    throw new UsageError(`Incomplete command; one of: ${group.map(({ name }) => `mailroom ${name}`).join(', ')}`)
  if (words.length === 0) throw new UsageError(`No command before "${argv[0]}"; see \`mailroom help\``)
  throw new UsageError(`Unknown command "${words.join(' ')}"; see \`mailroom help\``)
}

function parseRest(args: readonly string[], command: Command) {
  const own = Object.fromEntries(Object.keys(command.options).map((name) => [name, { type: 'string' as const }]))
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { ...own, json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
    })
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\nUsage: ${usageOf(command)}`)
  }
}

function operandsOf(command: Command, positionals: readonly string[]): Record<string, string> {
  const { operands } = command
  const missing = operands.slice(positionals.length).map((operand) => operand.toUpperCase())
  if (missing.length > 0)
    throw new UsageError(
      `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing\nUsage: ${usageOf(command)}`,
    )
  const [extra] = positionals.slice(operands.length)
  if (extra !== undefined)
    throw new UsageError(
      `"${extra}" is an unexpected argument; quote a name of several words\nUsage: ${usageOf(command)}`,
    )
  return Object.fromEntries(operands.map((operand, at) => [operand, positionals[at] ?? '']))
}
