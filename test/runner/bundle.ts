import { createHash } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '../..')
const source = join(root, 'src')
const bundles = join(root, 'node_modules/.cache/program')
const dayMs = 86_400_000

/** What of Rolldown is used here. It comes with Vite. */
interface Rolldown {
  rolldown(options: object): Promise<AsyncDisposable & { write(options: object): Promise<unknown> }>
}

/**
 * Joins the program's thousand modules to a few files for the services that tests start, and answers with the path of its
 * `mailroom.js`: to load them one by one takes each process 0.4 s of CPU more. Packages stay where they are but for Kysely,
 * which is 250 modules. The result is named by its content and kept while it is used, so that processes that run beside each
 * other, of this source or another, do not clash.
 */
export async function bundledProgram(): Promise<string> {
  await mkdir(bundles, { recursive: true })
  const making = await mkdtemp(join(bundles, '.making-'))
  try {
    await bundle(making)
    await chmod(making, 0o755) // who runs it is at times another user
    const made = join(bundles, await checksum(making))
    // Another process may have been quicker; its bundle is the same.
    await rename(making, made).catch(() => {})
    const now = new Date()
    await utimes(made, now, now)
    await removeOld(now.getTime() - dayMs)
    return join(made, 'mailroom.js')
  } finally {
    await rm(making, { recursive: true, force: true })
  }
}

async function bundle(directory: string): Promise<void> {
  const vite = createRequire(join(root, 'web/package.json')).resolve('vite/package.json')
  const { rolldown } = (await import(pathToFileURL(createRequire(vite).resolve('rolldown')).href)) as Rolldown
  const isOwn = (id: string) => id.startsWith('.') || id.startsWith('/') || id.startsWith('#/') || /^kysely\b/.test(id)
  await using bundling = await rolldown({
    input: join(root, 'bin/mailroom.js'),
    platform: 'node',
    external: (id: string) => !isOwn(id),
    plugins: [{ name: 'places', transform: withPlaces }],
  })
  await bundling.write({ dir: directory, format: 'esm' })
}

/** Threads, migrations and the web app are found from the modules that name them, which stay where they are. */
function withPlaces(code: string, id: string): string | undefined {
  if (!id.startsWith(source) || !code.includes('import.meta')) return undefined
  return code
    .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
    .replaceAll('import.meta.main', 'false')
}

async function checksum(directory: string): Promise<string> {
  const hash = createHash('sha256')
  for (const name of (await readdir(directory)).sort()) hash.update(name).update(await readFile(join(directory, name)))
  return hash.digest('hex').slice(0, 16)
}

async function removeOld(since: number): Promise<void> {
  for (const name of await readdir(bundles)) {
    const path = join(bundles, name)
    const used = await stat(path).catch(() => undefined)
    if (used && used.mtimeMs < since) await rm(path, { recursive: true, force: true })
  }
}
