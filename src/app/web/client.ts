import { execFile } from 'node:child_process'
import { glob, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { hashOf } from './hash.ts'

const root = join(import.meta.dirname, '../../..')
const client = join(root, 'web/src/api/generated.ts')

/** Has the hash of the sources that the client was generated from. */
const stamp = join(root, 'web/.client')

/** Whether the web app's client of the API is generated from these sources of the service. */
export async function isClientCurrent(): Promise<boolean> {
  const [wanted, found] = await Promise.all([hashOfService(), clientsHash()])
  return wanted === found
}

/** Generates the client unless it is current. In a process of its own, since the generator leaves one running, and the service needs
 *  none of what it loads. */
export async function generateClient(): Promise<void> {
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'client.ts')])
}

/** Any file of the service may change what the OpenAPI document says. */
async function hashOfService(): Promise<string> {
  const files = await Array.fromAsync(glob('src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] }))
  return hashOf(root, [...files.sort(), 'package-lock.json'])
}

/** Empty without a client. */
async function clientsHash(): Promise<string> {
  const [hash] = await Promise.all([readFile(stamp, 'utf8'), readFile(client)]).catch(() => [''])
  return hash
}

/** In one step: builds, checks and tests may run beside each other, and generate the same. */
async function write(file: string, content: string): Promise<void> {
  const making = `${stamp}-${process.pid}`
  await writeFile(making, content)
  await rename(making, file)
}

if (import.meta.main && !(await isClientCurrent())) {
  const hash = await hashOfService()
  const { madeClient } = await import('./make-client.ts')
  const [made, found] = [await madeClient(), await readFile(client, 'utf8').catch(() => '')]
  if (made !== found) await write(client, made)
  await write(stamp, hash)
  process.exit()
}
