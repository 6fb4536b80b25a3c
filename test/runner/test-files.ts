import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join, posix, relative, resolve, sep } from 'node:path'
import { importsOf } from '#test/laws/import-law.ts'
import { type Mix, unmixed } from './shuffle.ts'

const root = join(import.meta.dirname, '../..')
const source = join(root, 'src')

/** Where a test gets its database, by its path below src. */
const databases = '../test/world/database/database.ts'

/** What starts the program as a process of its own. */
const services = '../test/world/service.ts'

/** What finds the web app as it is built. */
const build = 'app/web/build.ts'

/** How many files share a process. To load the program and start a database takes 1.7 s of CPU, and a further file 0.1 s. */
const [withDatabase, withoutDatabase, alike] = [32, 60, 4]

/** Where test files run. On a server those that open no database are left out, since they would only repeat themselves, and so
 *  are those that say so. What may differ there says so too, and what runs there alone. */
export type On = 'embedded' | 'server' | 'differing'

/** Groups of test files, each for its own process. */
export function testFiles({ on, mix = unmixed }: { on: On; mix?: Mix }): readonly (readonly string[])[] {
  const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/*.test.ts'], { cwd: root })
  const paths = mix(files.sort().map((path) => join(root, path)))
  const onServer = (file: string) => says(file, 'On a server')
  const differs = (file: string) => onServer(file) || says(file, 'On both databases')
  const opens = (file: string) => reached(belowSource(file)).has(databases)
  if (on === 'differing') return grouped(paths.filter(differs))
  if (on === 'server')
    return grouped(paths.filter((file) => differs(file) || (opens(file) && !says(file, 'On one database'))))
  const embedded = paths.filter((file) => !onServer(file))
  const [opening, others] = [embedded.filter(opens), embedded.filter((path) => !opens(path))]
  return [...grouped(others, withoutDatabase), ...grouped(opening)]
}

/** Neighbours, which are often alike, go into different groups, so that all groups take similar times. */
export function grouped(files: readonly string[], size = withDatabase): readonly (readonly string[])[] {
  const isAlone = (file: string) => says(file, 'In a process of its own')
  const [alone, together] = [files.filter(isAlone), files.filter((file) => !isAlone(file))]
  const count = Math.ceil(together.length / size)
  const groups = Array.from({ length: count }, (_, index) => together.filter((_, place) => place % count === index))
  return [...alone.map((file) => [file]), ...groups]
}

/** Whether a file has this name, and not a folder. */
export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

/** Whether a line of the file says this, with the reason behind it. */
function says(file: string, what: string): boolean {
  return new RegExp(`^// ${what}: `, 'm').test(readFileSync(file, 'utf8'))
}

/** Tests against other programs that share processes. Those of the web app all have a service and a browser alike, those of programs that
 *  read mail a service. */
const sharing = ['test/web', 'test/peers/postfix', 'test/imap']

/** Groups of tests against other programs. */
export function peerFiles(mix = unmixed): readonly (readonly string[])[] {
  const paths = mix(globSync('test/**/*.peer.ts', { cwd: root }).sort())
  const groups = Map.groupBy(paths, (path) => sharing.find((folder) => path.startsWith(join(folder, sep))))
  return [...groups].flatMap(([folder, some]) => {
    const files = some.map((path) => join(root, path))
    return folder === undefined ? files.map((file) => [file]) : grouped(files, alike)
  })
}

/** Whether one of the files starts the program. */
export const startServices = (files: readonly string[]): boolean => reach(files, services)

/** Whether one of the files serves the web app. */
export const serveWeb = (files: readonly string[]): boolean => startServices(files) || reach(files, build)

function reach(files: readonly string[], target: string): boolean {
  return files.some((file) => reached(belowSource(resolve(file))).has(target))
}

function belowSource(file: string): string {
  return relative(source, file).split(sep).join(posix.sep)
}

/** What each file loads by itself. */
const imports = new Map<string, readonly string[]>()

/** Paths below src of all that a file loads. */
function reached(path: string): Set<string> {
  const all = new Set([path])
  for (const one of all) {
    const targets = imports.get(one) ?? importsIn(one)
    imports.set(one, targets)
    for (const target of targets) all.add(target)
  }
  return all
}

/** Empty for files that are no modules: a test may hold an import as a text. */
function importsIn(path: string): readonly string[] {
  const file = join(source, path)
  return path.endsWith('.ts') && existsSync(file) ? importsOf(path, readFileSync(file, 'utf8')) : []
}
