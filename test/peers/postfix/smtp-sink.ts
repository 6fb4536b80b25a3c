import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { untilAnswers } from '#test/sockets/answers.ts'
import { freePort } from '#test/sockets/free-port.ts'

const program = '/usr/sbin/smtp-sink'

export interface SmtpSink extends AsyncDisposable {
  readonly port: number
}

/** Postfix's own test server, with its switches, at a free port by default. */
export async function startSink(switches: readonly string[], given?: number): Promise<SmtpSink> {
  if (!existsSync(program)) throw new Error(`There is no smtp-sink at ${program}: apt-get install postfix`)
  const port = given ?? (await freePort())
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn(program, [...user, ...switches, `127.0.0.1:${port}`, '100'], { stdio: 'ignore' })
  await untilAnswers(port, child)
  return {
    port,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.kill()
      await ended
    },
  }
}
