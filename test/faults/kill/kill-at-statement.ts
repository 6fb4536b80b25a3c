// Preloaded into a service with --import, it kills the process (kill -9, or KILL_WITH another signal) at a step of its
// work, which is a statement to the database: the last of those that KILL_AT_STATEMENT names (a JSON array of texts that
// statements hold, to come one after the other), before it is sent or after it was answered as KILL_WHEN says. A `commit`
// counts on the connection of the statement before it: other transactions end beside it. With KILL_ABOUT only statements
// count that are given this text in a parameter.
import { execFileSync } from 'node:child_process'
import { isMainThread } from 'node:worker_threads'
import type pg from 'pg'
import { watchStatements } from '../../world/observe/statements.ts'

const { KILL_ABOUT: about, KILL_WHEN: when, KILL_WITH: signal = 'SIGKILL' } = process.env
const steps: string[] = JSON.parse(process.env.KILL_AT_STATEMENT ?? '[]')
const die = () => {
  if (signal !== 'SIGSTOP') return void process.kill(process.pid, signal)
  // By another process, which can say it afterwards: whoever hears it before would have this one continue too early.
  const stop = `kill -STOP ${process.pid}; echo stops at a statement`
  execFileSync('sh', ['-c', stop], { stdio: ['ignore', 1, 'ignore'] })
}
let last: pg.Client | undefined

if (isMainThread && steps.length > 0)
  watchStatements(({ text, values, client }) => {
    const [step] = steps
    const counts = step === 'commit' ? text === step && client === last : step !== undefined && text.includes(step)
    if (!counts || !isAbout(values)) return undefined
    steps.shift()
    last = client
    if (steps.length > 0) return undefined
    if (when === 'before') die()
    return when === 'after' ? (error) => void (error || die()) : undefined
  })

function isAbout(value: unknown): boolean {
  if (about === undefined) return true
  if (Array.isArray(value)) return value.some(isAbout)
  return typeof value === 'string' && value.includes(about)
}
