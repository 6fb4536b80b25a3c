import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, posix, relative, sep } from 'node:path'
import { importsOf } from './import-law.ts'

const root = join(import.meta.dirname, '..')
const source = join(root, 'src')

/** Where a test gets its database, by its path below src. */
const databases = '../test/database.ts'

/** All files of tests: those that open a database, and those that don't. */
export function testFiles(): { readonly withDatabase: readonly string[]; readonly without: readonly string[] } {
  const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/*.test.ts'], { cwd: root })
    .sort()
    .map((path) => join(root, path))
  const imports = new Map<string, readonly string[]>()
  const opens = (file: string) => reached(belowSource(file), imports).has(databases)
  const { withDatabase = [], without = [] } = Object.groupBy(files, (file) =>
    opens(file) ? 'withDatabase' : 'without',
  )
  return { withDatabase, without }
}

/** Tests against other programs. */
export function peerFiles(): readonly string[] {
  return globSync('test/**/*.peer.ts', { cwd: root })
    .sort()
    .map((path) => join(root, path))
}

function belowSource(file: string): string {
  return relative(source, file).split(sep).join(posix.sep)
}

/** Paths below src of all that a file loads. */
function reached(path: string, imports: Map<string, readonly string[]>): Set<string> {
  const all = new Set([path])
  for (const one of all) {
    const targets = imports.get(one) ?? importsIn(one)
    imports.set(one, targets)
    for (const target of targets) all.add(target)
  }
  return all
}

/** None of what is no module: a test may hold an import as a text. */
function importsIn(path: string): readonly string[] {
  const file = join(source, path)
  return path.endsWith('.ts') && existsSync(file) ? importsOf(path, readFileSync(file, 'utf8')) : []
}
