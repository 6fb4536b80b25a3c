import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const docs = join(import.meta.dirname, '../../docs')

/** The block of a page of docs/ that holds a text, line by line. */
export async function documented(page: string, text: string): Promise<string[]> {
  const blocks = (await readFile(join(docs, page), 'utf8')).matchAll(/^```\w*\n([\s\S]*?)^```$/gm)
  const found = [...blocks].map(([, block = '']) => block).filter((block) => block.includes(text))
  const [block] = found
  if (found.length !== 1 || block === undefined)
    throw new Error(`docs/${page} has ${found.length} blocks with "${text}"`)
  return block.trimEnd().split('\n')
}

/** A block's commands up to where it says how to go back, and those from there. */
export function thereAndBack(lines: readonly string[]): [string[], string[]] {
  const at = lines.findIndex((line) => line.startsWith('# back'))
  if (at < 0) throw new Error('It does not say how to go back')
  return [lines.slice(0, at), lines.slice(at)]
}

export interface Hand {
  readonly cwd: string
  /** Replacements in the commands, for paths that differ here. */
  readonly instead: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  /** The user who runs them; by default our own. */
  readonly user?: string
  /** Stands in for `systemctl start` and `stop`: there may be no systemd. */
  readonly systemctl?: (verb: string) => Promise<unknown>
}

/** Runs the lines. */
export async function follow(lines: readonly string[], { cwd, instead, env, user, systemctl }: Hand): Promise<void> {
  const [command = '', ...words] = [
    ...(user ? ['runuser', '-u', user, '--'] : []),
    ...['bash', '--norc', '-euo', 'pipefail', '-c'],
  ]
  let script = ''
  const type = async () => {
    await run(command, [...words, script], { cwd, env: { ...process.env, ...env } })
    script = ''
  }
  for (const line of lines) {
    const [, verb] = /^systemctl (\w+) /.exec(line) ?? []
    if (verb !== undefined) {
      await type()
      await systemctl?.(verb)
    } else script += `${Object.entries(instead).reduce((text, [old, now]) => text.replaceAll(old, now), line)}\n`
  }
  await type()
}
