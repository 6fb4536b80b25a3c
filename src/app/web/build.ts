import { execFile } from 'node:child_process'
import { chmod, glob, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { generateClient, isClientCurrent } from './client.ts'
import { hashOf } from './hash.ts'

const root = join(import.meta.dirname, '../../..')
const workspace = join(root, 'web')
const directory = join(workspace, 'dist')

/** Where Vite lists the files of the service that a build has read (`vite.config.ts`). */
const list = '.of-service.json'
const stamp = '.sources.json'

/** What a build was made from. */
export interface Stamp {
  readonly hash: string
  /** The files of the service that it has read, as rules that both share. */
  readonly ofService: readonly string[]
}

export interface BuiltWeb {
  /** Undefined without a build. */
  readonly directory: string | undefined
  /** The build is of other sources. */
  readonly outdated: boolean
}

/** The build of the web app, whatever its sources; undefined without one. */
export async function foundBuild(): Promise<string | undefined> {
  return (await stampOf(directory)) && directory
}

/** The build of the web app. If it is outdated, and Vite is installed (`npm ci --omit=dev` leaves it out), calls `onBuild` and
 *  builds it. Without `onBuild` it builds nothing. */
export async function builtWeb(onBuild?: () => void): Promise<BuiltWeb> {
  const [found, vite] = [await stampOf(directory), viteProgram()]
  const isThere = (await sources()).includes('index.html')
  if (found && (!isThere || (await isCurrent(found)))) return { directory, outdated: false }
  if (!onBuild || !isThere || vite === undefined)
    return { directory: found && directory, outdated: found !== undefined }
  onBuild()
  await generateClient()
  // Most changes of the service leave the client as it was.
  if (!found || !(await isCurrent(found))) await build(vite)
  return { directory, outdated: false }
}

/** Of a build; undefined without one. */
export async function stampOf(build: string): Promise<Stamp | undefined> {
  const text = await readFile(join(build, stamp), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : JSON.parse(text)
}

async function isCurrent({ hash, ofService }: Stamp): Promise<boolean> {
  return (await isClientCurrent()) && hash === (await hashOfSources(ofService))
}

/** In a process of its own, which frees its memory when it ends. */
async function build(vite: string): Promise<void> {
  const making = await mkdtemp(join(workspace, '.dist-'))
  try {
    const before = await hashOfSources()
    const options = ['--outDir', making, '--emptyOutDir', '--logLevel', 'warn']
    await promisify(execFile)(process.execPath, [vite, 'build', ...options], { cwd: workspace })
    await compress(join(making, 'assets'))
    const ofService: string[] = JSON.parse(await readFile(join(making, list), 'utf8'))
    // What has changed meanwhile may not be in it: then it is built again the next time.
    const isOfThese = before === (await hashOfSources()) && (await isClientCurrent())
    const made: Stamp = { hash: isOfThese ? await hashOfSources(ofService) : '', ofService }
    await writeFile(join(making, stamp), JSON.stringify(made))
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

/** The files of the workspace that a build reads. */
async function sources(): Promise<string[]> {
  return (await Array.fromAsync(glob('{src/**/*.*,*.ts,*.html,*.json}', { cwd: workspace }))).sort()
}

async function hashOfSources(ofService: readonly string[] = []): Promise<string> {
  const files = (await sources()).map((file) => `web/${file}`)
  return hashOf(root, [...files, ...ofService, 'package-lock.json'])
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
