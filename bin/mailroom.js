#!/usr/bin/env node
// Plain JavaScript that old versions of Node can read, since they start it: the program itself is TypeScript.
import module from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { becomeNode, isNewEnough } from './launcher.js'

if (!isNewEnough()) await becomeNode(process.argv.slice(1))

// Compiled code is kept between runs: `--version` takes 0.3 s of CPU instead of 0.6. Threads learn it from the environment.
process.env.NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE || join(tmpdir(), 'node-compile-cache')

// A service begins again, under the same process id, with settings that are read when a process begins. Without them V8
// keeps up to 128 MiB for new objects, and malloc what any thread has once used: 620 MB after 10,000 messages, with them
// 440 (docs/operations.md).
if (process.argv[2] === 'serve' && process.execve && process.env.MALLOC_ARENA_MAX === undefined) {
  const flags = ['--max-semi-space-size=8', ...process.execArgv]
  const malloc = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' }
  const argv = [process.execPath, ...flags, ...process.argv.slice(1)]
  process.execve(process.execPath, argv, { ...process.env, ...malloc })
}

module.enableCompileCache()
await import('../src/app/main.ts')
