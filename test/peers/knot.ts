import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { setImmediate as turn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '#test/world/sockets/free-port.ts'

const [knotd, knotc] = ['/usr/sbin/knotd', '/usr/sbin/knotc']
const run = promisify(execFile)

/** A real name server, Knot DNS, with authority over a few zones, whose files a test writes. Like a recursive one it
 *  answers who asks for a name in them; of others it refuses to speak. */
export class Knot implements AsyncDisposable {
  /** As MAILROOM_DNS_SERVERS takes it. */
  readonly address: string
  readonly #process: ChildProcess
  readonly #log: Interface
  readonly #directory: string
  #serial = 0

  private constructor(process: ChildProcess, log: Interface, directory: string, address: string) {
    this.#process = process
    this.#log = log
    this.#directory = directory
    this.address = address
  }

  /** Until something is published in a zone, questions about it are answered with SERVFAIL. */
  static async start(...zones: readonly string[]): Promise<Knot> {
    if (!existsSync(knotd)) throw new Error(`There is no Knot DNS at ${knotd}: apt-get install knot`)
    const directory = await mkdtemp(join(tmpdir(), 'mailroom-knot-'))
    await mkdir(join(directory, 'db'))
    const port = await freePort()
    await writeFile(join(directory, 'knot.conf'), settings(directory, port, zones))
    const child = spawn(knotd, ['-c', join(directory, 'knot.conf')], { stdio: ['ignore', 'pipe', 'inherit'] })
    const ready = Promise.withResolvers<void>()
    const log = createInterface(child.stdout).on('line', (line) => {
      if (line.includes('control, binding to')) ready.resolve()
      if (line.includes('cannot bind')) ready.reject(new Error(line))
    })
    child.once('exit', () => ready.reject(new Error('Knot has ended before it was ready')))
    await ready.promise
    return new Knot(child, log, directory, `127.0.0.1:${port}`)
  }

  /** Replaces all that stands in a zone by the lines of a master file. Names in it are relative to the zone. */
  async publish(zone: string, lines: string): Promise<void> {
    const serial = ++this.#serial
    await writeFile(join(this.#directory, `${zone}.zone`), `${heading(zone, serial)}${lines}\n`)
    const loaded = Promise.withResolvers<void>()
    const look = (line: string) => {
      if (line.includes(`[${zone}.] loaded, serial `) && line.includes(` -> ${serial}, `)) loaded.resolve()
    }
    this.#log.on('line', look)
    try {
      await this.#control('zone-reload', zone)
      await loaded.promise
    } finally {
      this.#log.off('line', look)
    }
  }

  /** Forgets the zone: questions about it are answered with SERVFAIL until something is published again. */
  async fail(zone: string): Promise<void> {
    await this.#control('zone-purge', zone)
  }

  /** Stops answering. */
  async silence(): Promise<void> {
    this.#process.kill('SIGSTOP')
    while (!(await this.#stands())) await turn()
  }

  /** Answers again, first what it was asked while it was silent. */
  async speak(zone: string): Promise<void> {
    this.#process.kill('SIGCONT')
    const resolver = new Resolver({ timeout: 600_000 })
    resolver.setServers([this.address])
    await resolver.resolveSoa(zone)
  }

  /** A signal is on its way for a moment, in which a thread may still answer. Node hears of a child that ends, and of none that stops. */
  async #stands(): Promise<boolean> {
    const tasks = `/proc/${this.#process.pid}/task`
    const states = (await readdir(tasks)).map(async (task) => readFile(`${tasks}/${task}/stat`, 'utf8'))
    // The state stands behind the name, which is in parentheses (proc(5)).
    return (await Promise.all(states)).every((stat) => /\) [Tt] /.test(stat))
  }

  async #control(command: string, zone: string): Promise<void> {
    const { stdout } = await run(knotc, ['-c', join(this.#directory, 'knot.conf'), '-b', '-f', command, zone])
    if (!stdout.startsWith('OK')) throw new Error(`Knot does not ${command} ${zone}: ${stdout}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await ended
    await rm(this.#directory, { recursive: true, force: true })
  }
}

function settings(directory: string, port: number, zones: readonly string[]): string {
  return `
server:
    rundir: "${directory}"
    listen: 127.0.0.1@${port}
    udp-workers: 1
database:
    storage: "${directory}/db"
log:
  - target: stdout
    any: info
template:
  - id: default
    storage: "${directory}"
    semantic-checks: on
    zonefile-load: whole
    zonefile-sync: -1
    journal-content: none
zone:
${zones.map((zone) => `  - domain: ${zone}\n    file: ${zone}.zone\n`).join('')}`
}

/** What every zone has. */
function heading(zone: string, serial: number): string {
  return `$ORIGIN ${zone}.\n$TTL 60\n@ SOA ns.invalid. host.invalid. ${serial} 3600 900 604800 60\n@ NS ns.invalid.\n`
}
