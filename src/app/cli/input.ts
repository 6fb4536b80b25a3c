import type { Readable } from 'node:stream'
import { type Call, UsageError } from './parse.ts'

/** The longest input, in characters. */
const most = 4_096

/** Replaces `-` in the command line by the first line of standard input, since the command may run in another process.
 *  @throws UsageError if the value itself is on the command line */
export async function withInput(argv: readonly string[], call: Call, input: Readable): Promise<readonly string[]> {
  const [name] = Object.keys(call.command.options).filter(
    (option) => call.command.options[option]?.fromInput && call.given[option] !== undefined,
  )
  if (name === undefined) return argv
  if (call.given[name] !== '-')
    throw new UsageError(`--${name} takes -, and reads the ${name} from standard input: others can see a command line`)
  const line = await firstLine(input)
  const at = argv.findIndex((word) => word === `--${name}` || word === `--${name}=-`)
  return [...argv.slice(0, at), `--${name}=${line}`, ...argv.slice(argv[at] === `--${name}` ? at + 2 : at + 1)]
}

async function firstLine(input: Readable): Promise<string> {
  let text = ''
  for await (const chunk of input.setEncoding('utf8')) {
    text += chunk
    if (text.includes('\n') || text.length > most) break
  }
  return text.split(/\r?\n/, 1)[0] ?? ''
}
