// Runs the test files of its arguments in this process, one after the other: most of a file's time
// goes into loading the program and opening a database, which all share.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { test } from 'node:test'
import { closeKept, keepDatabases } from '#test/world/database/kept-databases.ts'
import { endShared, shareAmongFiles, sharedMark } from './kept.ts'
import { cpuAtEnds, cpuSeconds } from './progress.ts'

/** The runner kills a process that is silent for long; a file of many tests may take any time. */
const timeout = 2 ** 31 - 1

/** Processes that were, and may be there for a moment yet. */
const killed = new Set<string>()

keepDatabases()
shareAmongFiles()
for (const file of process.argv.slice(2).map((path) => relative('.', path)))
  await test(file, { timeout }, async (whole) => {
    await whole.test(file, { timeout }, async () => void (await import(resolve(file))))
    cpuAtEnds.push(cpuSeconds())
    const left = endChildren()
    assert.deepEqual(left, [], `left running, and was killed: ${left.join(', ')}`)
  })
await endShared()
await closeKept()

/** Kills what this process has started and not ended, and answers with the command lines. */
function endChildren(): string[] {
  const threads = readdirSync('/proc/self/task')
  const pids = threads.flatMap(
    (thread) => readFileSync(`/proc/self/task/${thread}/children`, 'latin1').match(/\d+/g) ?? [],
  )
  return pids.flatMap((pid) => {
    if (killed.has(pid)) return []
    const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').trim()
    // A zombie has no command line.
    if (command === '' || command.includes(sharedMark)) return []
    process.kill(Number(pid), 'SIGKILL')
    killed.add(pid)
    return [command]
  })
}
