import type { Command } from './command.ts'
import { usageOf } from './parse.ts'

const serveUsage = 'serve [--bare] [--roles LIST]'

/** The help for `serve`. */
export const serveHelp = [
  `Usage: mailroom ${serveUsage}`,
  '',
  'Run the service until SIGTERM or SIGINT stops it.',
  '',
  '  --bare        Create no try-out organization',
  '  --roles LIST  Some of api,mx,submission,imap,worker; by default MAILROOM_ROLES, or else all',
  '',
].join('\n')

/** All commands, a line each. */
export function overview(commands: readonly Command[]): string {
  const lines = [
    [serveUsage, 'Run the service; --bare creates no try-out, LIST is some of api,mx,submission,imap,worker'],
    ...commands.map(({ name, operands, summary }) => [[name, ...operands.map(upper)].join(' '), summary]),
    ['help [COMMAND]', 'Show this, or the usage of a command'],
    ['--version', 'Show the version'],
  ]
  const width = Math.max(...lines.map(([call = '']) => call.length))
  return [
    'Usage: mailroom COMMAND …',
    '',
    ...lines.map(([call = '', summary = '']) => `  ${call.padEnd(width)}  ${summary}`),
    '',
    'Commands print a table, or with --json one JSON document. They work whether the server runs or not. With the embedded',
    'database, stop the server before export and import.',
    'Settings come from the environment: see docs/configuration.md.',
    '',
  ].join('\n')
}

/** One command with its options. */
export function helpFor(command: Command): string {
  const options: [string, string][] = Object.entries(command.options).map(([name, { value, help }]) => [
    `--${name} ${value}`,
    help,
  ])
  options.push(['--json', 'Print one JSON document'])
  const width = Math.max(...options.map(([call]) => call.length))
  return [
    `Usage: ${usageOf(command)}`,
    '',
    `${command.summary}.`,
    '',
    ...options.map(([call, help]) => `  ${call.padEnd(width)}  ${help}`),
    '',
  ].join('\n')
}

function upper(word: string): string {
  return word.toUpperCase()
}
