import { readdirSync } from 'node:fs'
import { join, posix } from 'node:path'

/** The districts of the sources, from the ground up: a file imports from its own district or from those before it. */
const districts = [
  'base',
  'formats',
  'http',
  'domains',
  'mail',
  'people',
  'out',
  'rules',
  'events',
  'smtp',
  'imap',
  'app',
]

/** Districts that are libraries: any folder of theirs may be used. */
const libraries = ['base', 'formats', 'http']

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
    if (target.startsWith('#test/')) return [`../${target.slice(1)}`]
    return target.startsWith('.') ? [posix.join(posix.dirname(path), target)] : []
  })
}

/** Every breach of the law, in a sentence each. */
export function breaches(sources: readonly Source[]): string[] {
  const found = sources.flatMap(({ path, imports }) => imports.flatMap((target) => breach(path, target) ?? []))
  return [...found, ...circles(sources)]
}

function breach(from: string, to: string): string | undefined {
  if (to.startsWith('..')) return undefined
  const [district = '', noun, inner] = to.split('/')
  const [ownDistrict = '', ownNoun] = from.split('/')
  const [here, there] = [districts.indexOf(ownDistrict), districts.indexOf(district)]
  if (here === -1) return `${from} stands in no district`
  if (there === -1) return `${from} imports ${to}, which stands in no district`
  if (there > here) return `${from} imports from a district above, ${to}`
  // The app puts the parts of the service together, whatever they are.
  if (ownDistrict === 'app' || (district === ownDistrict && noun === ownNoun)) return undefined
  if (to.endsWith('/routes.ts')) return `${from} imports another noun's routes, ${to}`
  const isInside = inner !== undefined && to.split('/').length > 3
  if (isInside && there < here && !libraries.includes(district)) return `${from} reaches into a noun, ${to}`
  return undefined
}

/** The files that import themselves by way of others. */
export function circles(sources: readonly Source[]): string[] {
  const edges = new Map(sources.map(({ path, imports }) => [path, imports]))
  const reached = (start: string) => {
    const seen = new Set<string>()
    const waiting = [...(edges.get(start) ?? [])]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (seen.has(next)) continue
      seen.add(next)
      waiting.push(...(edges.get(next) ?? []))
    }
    return seen
  }
  return [...edges.keys()].filter((path) => reached(path).has(path)).map((path) => `${path} imports itself in a circle`)
}
