// Preloaded into a service with --import, it makes the disk of the embedded database fail while the file that FAIL_DISK
// names exists: with `ENOSPC` in it no file becomes longer, with `EIO` no fsync succeeds.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const flag = process.env.FAIL_DISK ?? ''
const { writeSync, fsyncSync } = fs
const really = { writeSync: writeSync as (...parameters: unknown[]) => number, fsyncSync }

function failing(code: string): boolean {
  return fs.existsSync(flag) && fs.readFileSync(flag, 'utf8') === code
}

function failure(code: string, call: string): Error {
  return Object.assign(new Error(`${code}: injected, ${call}`), {
    code,
    errno: code === 'EIO' ? -5 : -28,
    syscall: call,
  })
}

fs.fsyncSync = (descriptor) => {
  if (failing('EIO')) throw failure('EIO', 'fsync')
  really.fsyncSync(descriptor)
}

fs.writeSync = ((...parameters: unknown[]) => {
  const [descriptor, , , length, position] = parameters as [number, unknown, number, number?, number?]
  const grows = () => (position ?? 0) + (length ?? 0) > fs.fstatSync(descriptor).size
  if (length !== undefined && failing('ENOSPC') && grows()) throw failure('ENOSPC', 'write')
  return really.writeSync(...parameters)
}) as typeof fs.writeSync

syncBuiltinESMExports()
