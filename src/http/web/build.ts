import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, glob, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'

/** The workspace of the web app, and the directory of its build. */
const workspace = join(import.meta.dirname, '../../../web')
const directory = join(workspace, 'dist')
const stamp = '.sources'

/** Rules of the service that the web app uses too. */
const shared = [
  'base/text/find-text.ts',
  'base/text/unicode.ts',
  'mail/mailboxes/own-addresses.ts',
  'out/replies/rules.ts',
  'out/replies/subject.ts',
  'out/replies/quote-lines.ts',
  'formats/mime/address/address.ts',
  'formats/mime/body/quoted/html-quotations.ts',
  'formats/mime/header/forwarded-field.ts',
].map((file) => `../src/${file}`)

export interface BuiltWeb {
  /** Undefined without a build. */
  readonly directory: string | undefined
  /** The build is of other sources. */
  readonly outdated: boolean
}

/** The build of the web app. If it is outdated, and Vite is installed (`npm ci --omit=dev` leaves it out), calls `onBuild` and
 *  builds it. Without `onBuild` it builds nothing. */
export async function builtWeb(onBuild?: () => void): Promise<BuiltWeb> {
  const [wanted, found] = await Promise.all([hashOfSources(), readFile(join(directory, stamp), 'utf8').catch(() => '')])
  if (found !== '' && (wanted === undefined || found === wanted)) return { directory, outdated: false }
  const vite = viteProgram()
  if (!onBuild || wanted === undefined || vite === undefined)
    return { directory: found === '' ? undefined : directory, outdated: found !== '' }
  onBuild()
  await build(vite, wanted)
  return { directory, outdated: false }
}

/** In a process of its own, which frees its memory when it ends. */
async function build(vite: string, hash: string): Promise<void> {
  const making = await mkdtemp(join(workspace, '.dist-'))
  try {
    const options = ['--outDir', making, '--emptyOutDir', '--logLevel', 'warn']
    await promisify(execFile)(process.execPath, [vite, 'build', ...options], { cwd: workspace })
    await compress(join(making, 'assets'))
    await writeFile(join(making, stamp), hash)
    await chmod(making, 0o755) // who serves it is often another user
    await replace(making)
  } finally {
    await rm(making, { recursive: true, force: true })
  }
}

/** Replaces the earlier build in one step, since another service may be reading it (`files.ts`). */
async function replace(making: string): Promise<void> {
  const before = await mkdtemp(join(workspace, '.dist-'))
  try {
    await rename(directory, join(before, 'dist')).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
    await rename(making, directory)
  } finally {
    await rm(before, { recursive: true, force: true })
  }
}

async function compress(assets: string): Promise<void> {
  const names = await readdir(assets)
  await Promise.all(
    names
      .filter((name) => ['.js', '.css', '.svg'].includes(extname(name)))
      .map(async (name) => {
        const path = join(assets, name)
        const bytes = await readFile(path)
        await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes))
        await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }))
      }),
  )
}

/** Of every file that the build reads; undefined if they do not exist. */
async function hashOfSources(): Promise<string | undefined> {
  const files = (await Array.fromAsync(glob('{src/**/*.*,*.ts,*.html,*.json}', { cwd: workspace }))).sort()
  if (!files.includes('index.html')) return undefined
  const hash = createHash('sha256')
  for (const file of [...files, ...shared, '../package-lock.json']) {
    const bytes = await readFile(join(workspace, file)).catch(() => Buffer.alloc(0))
    hash.update(`${file} ${bytes.length}\n`).update(bytes)
  }
  return hash.digest('hex')
}

function viteProgram(): string | undefined {
  try {
    return join(dirname(createRequire(join(workspace, 'package.json')).resolve('vite/package.json')), 'bin/vite.js')
  } catch {
    return undefined
  }
}

if (import.meta.main) {
  const built = await builtWeb(() => process.stdout.write('Building the web app\n'))
  process.stdout.write(
    `The web app is ${built.directory === undefined || built.outdated ? 'not ' : ''}built from these sources\n`,
  )
  if (built.directory === undefined || built.outdated) process.exitCode = 1
}
