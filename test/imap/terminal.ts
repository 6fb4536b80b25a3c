import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Person } from './person.ts'

/** A program that a person uses at a terminal. */
export class Terminal implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #ended: Promise<number | null>
  #written = ''
  #waiting: (() => void) | undefined

  constructor(person: Person, command: string) {
    const child = spawn('/usr/bin/script', ['-qefc', `stty rows 40 columns 120; exec ${command}`, '/dev/null'], {
      env: person.env,
      cwd: person.home,
      stdio: 'pipe',
    })
    child.stdin.on('error', () => {}) // whoever presses keys too late hears of its end
    child.stdout.on('data', (chunk: Buffer) => {
      this.#written += chunk.toString().replace(/\x1b(?:\[[0-9;?]*[a-zA-Z]|[()][A-Z0-9]|[=>78])|[\s\0]/g, '')
      this.#waiting?.()
    })
    this.#child = child
    this.#ended = once(child, 'close').then(([code]) => {
      this.#waiting?.()
      return code
    })
  }

  press(...keys: readonly string[]): void {
    this.#child.stdin.write(keys.join(''))
  }

  /** Waits until it has written one of these, after what was waited for before, wherever the cursor went in between. */
  async shows(...whats: readonly string[]): Promise<void> {
    const all = whats.map((what) => what.replaceAll(' ', ''))
    for (;;) {
      for (const letters of all) {
        const found = this.#written.indexOf(letters)
        if (found < 0) continue
        this.#written = this.#written.slice(found + letters.length)
        return
      }
      if (this.#child.exitCode !== null || this.#child.signalCode !== null)
        throw new Error(`it ended, and showed no ${whats.join(' or ')}: ${this.#written}`)
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#waiting = resolve
      await promise
    }
  }

  /** Waits until it has ended by itself. */
  async ends(): Promise<void> {
    const code = await this.#ended
    if (code !== 0) throw new Error(`it ended with ${code}: ${this.#written}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Its terminal goes with it, which ends the program.
    this.#child.kill('SIGKILL')
    await this.#ended
  }
}
