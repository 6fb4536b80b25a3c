import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/** Whether a port of this machine takes connections. */
async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const does = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return does
}

/** Resolves once a program that says nothing of it takes connections. Rejects if it ends. */
export async function untilAnswers(port: number, program: ChildProcess): Promise<void> {
  while (!(await answers(port))) {
    if (program.exitCode !== null) throw new Error(`${program.spawnfile} ended with ${program.exitCode}`)
    await wait(20)
  }
}

/** Resolves once a port refuses connections. */
export async function untilNobodyAnswers(port: number): Promise<void> {
  while (await answers(port));
}
