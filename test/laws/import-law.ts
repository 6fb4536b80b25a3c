import { readdirSync } from 'node:fs'
import { join, posix } from 'node:path'

const base = [
  'audit',
  'db',
  'event-loop',
  'events',
  'ports',
  'mime',
  'openpgp',
  'public-http',
  'http',
  'secrets',
  'errors.ts',
  'find-text.ts',
  'ip-address.ts',
  'message-id.ts',
  'text.ts',
  'unicode.ts',
  'version.ts',
  'word-fold.ts',
]
const nouns = [
  'labels',
  'filters',
  'blocked-senders',
  'forwarding',
  'scheduled',
  'sending',
  'sent',
  'suppressions',
  'drafts',
  'replies',
  'queue',
  'changes',
  'threads',
  'conversations',
  'search',
  'messages',
  'event-stream',
  'presence',
  'domains',
  'mailboxes',
  'usage',
  'members',
  'sessions',
  'signatures',
  'keys',
  'organizations',
  'passwords',
  'webhooks',
]

/** Which way imports point: a file imports from a lower storey, or from its own folder. One file names adapters. */
const storeys: readonly (readonly string[])[] = [
  base,
  ['config'],
  ['mail'],
  nouns,
  ['outbound'],
  ['inbound', 'adapters', 'cli', 'control', 'tryout'],
  ['submission'],
  ['imap'],
  ['metrics', 'tracing', 'web'],
  ['server'],
  ['main.ts'],
]

export const sourceRoot = join(import.meta.dirname, '../../src')

/** Every file of the sources that is no test, by its path below src. */
export function sourcePaths(): string[] {
  return readdirSync(sourceRoot, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.endsWith('.d.ts'))
}

/** A source file, by its path below src, with the paths below src that it imports. */
export interface Source {
  readonly path: string
  readonly imports: readonly string[]
}

/** The imports in a file's text, of types too; packages are none of the law's business. */
export function importsOf(path: string, text: string): string[] {
  const statements = text.matchAll(/^\s*(?:import|export)\s+(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm)
  const dynamic = text.matchAll(/\bimport\(\s*'([^']+)'/g)
  const workers = text.matchAll(/new URL\(\s*'([^']+\.ts)',\s*import\.meta\.url/g)
  return [...statements, ...dynamic, ...workers].flatMap(([, target = '']) => {
    if (target.startsWith('#/')) return [target.slice(2)]
    if (target.startsWith('#test/')) return [`../../${target.slice(1)}`]
    return target.startsWith('.') ? [posix.join(posix.dirname(path), target)] : []
  })
}

/** Every breach of the law, in a sentence each. */
export function breaches(sources: readonly Source[]): string[] {
  const found = sources.flatMap(({ path, imports }) => imports.flatMap((target) => breach(path, target) ?? []))
  return [...found, ...circles(sources)]
}

function breach(from: string, to: string): string | undefined {
  if (to.startsWith('../..')) return undefined
  const [here, there] = [storeyOf(from), storeyOf(to)]
  if (here === undefined) return `${from} stands in no known folder`
  if (there === undefined) return `${from} imports ${to}, which stands in no known folder`
  if (room(from) === room(to)) return undefined
  if (room(to) === 'adapters' && from !== 'server/adapters.ts') return `${from} names an adapter, ${to}`
  if (there > here) return `${from} imports upwards, from ${to}`
  if (there < here) return undefined
  if (nouns.includes(room(to)) && to.endsWith('/routes.ts')) return `${from} imports another noun's routes, ${to}`
  if (base.includes(room(to)) || nouns.includes(room(to))) return undefined
  if (room(from) === 'cli' && room(to) === 'control') return undefined
  return `${from} imports sideways, from ${to}`
}

/** Rooms of the base may import each other, and nouns may, but never in a circle. */
function circles(sources: readonly Source[]): string[] {
  const edges = new Map<string, Set<string>>()
  for (const { path, imports } of sources)
    for (const to of imports) {
      if (room(path) === room(to)) continue
      edges.set(room(path), (edges.get(room(path)) ?? new Set()).add(room(to)))
    }
  return [...edges.keys()]
    .filter((start) => reaches(edges, start, start))
    .map((one) => `${one} imports itself in a circle`)
}

function reaches(edges: ReadonlyMap<string, ReadonlySet<string>>, from: string, goal: string): boolean {
  const seen = new Set<string>()
  const waiting = [...(edges.get(from) ?? [])]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next === goal) return true
    if (seen.has(next)) continue
    seen.add(next)
    waiting.push(...(edges.get(next) ?? []))
  }
  return false
}

function room(path: string): string {
  return path.split('/')[0] ?? path
}

function storeyOf(path: string): number | undefined {
  const storey = storeys.findIndex((rooms) => rooms.includes(room(path)))
  return storey === -1 ? undefined : storey
}
