import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')

/** What the unit names, as docs/install.md has it, in directories that nobody else sees. */
const setUp = `
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs /run
mkdir /run/upper /run/work
mount -t overlay -o lowerdir=/etc,upperdir=/run/upper,workdir=/run/work overlay /etc
echo 'mailroom:x:987:987::/var/lib/mailroom:/usr/sbin/nologin' >>/etc/passwd
echo 'mailroom:x:987:' >>/etc/group
mkdir -p /etc/mailroom
for place in /var/lib /var/backups; do mount -t tmpfs -o mode=755 tmpfs $place; done
mount -t tmpfs -o mode=755 tmpfs /opt
mkdir /opt/mailroom
mount --bind "$ROOT" /opt/mailroom
ip link set lo up
for address in $ADDRESSES; do ip address add "$address" dev lo; done
exec env -i PATH="$PATH" container=test SYSTEMD_UNIT_PATH="$UNITS" \\
  /lib/systemd/systemd --system --unit=ready.service --log-target=null --show-status=no
`

/** Units that ours want, one that says that systemd runs, and one that says that Mailroom is given up. */
const others = (directory: string) => ({
  ...Object.fromEntries(
    ['sysinit', 'basic', 'shutdown'].map((name) => [`${name}.target`, '[Unit]\nDefaultDependencies=no\n']),
  ),
  ...Object.fromEntries(
    ['ready', 'failed'].map((name) => [
      `${name}.service`,
      `[Service]\nType=oneshot\nExecStart=/bin/sh -c 'echo >${join(directory, name)}'\n`,
    ]),
  ),
})

/** A real systemd, with the shipped units as they are: the first process of namespaces of its own, also for the network. */
export class SystemdMachine implements AsyncDisposable {
  readonly #directory: string
  readonly #group: string
  readonly #outer: ChildProcess
  readonly #systemd: string

  private constructor(directory: string, group: string, outer: ChildProcess) {
    this.#directory = directory
    this.#group = group
    this.#outer = outer
    this.#systemd = readFileSync(`/proc/${outer.pid}/task/${outer.pid}/children`, 'utf8').trim()
  }

  /** Its network has these addresses beside 127.0.0.1 and ::1, and the unit these settings besides its own. */
  static async start({ addresses = [] as readonly string[], settings = '' } = {}): Promise<SystemdMachine> {
    const directory = await mkdtemp(join(tmpdir(), 'mailroom-systemd-'))
    const units = join(directory, 'units')
    await cp(join(root, 'deploy/systemd'), units, { recursive: true })
    const log = `append:${join(directory, 'log')}`
    for (const [unit, more] of [
      ['mailroom', settings],
      ['mailroom-backup', ''],
    ]) {
      const dropIn = join(units, `${unit}@.service.d`)
      mkdirSync(dropIn)
      // A busy machine stops it later than within the seconds that the unit leaves it.
      const service = `StandardOutput=${log}\nStandardError=${log}\nTimeoutStopSec=infinity\n${more}`
      const text = `[Unit]\nOnFailure=failed.service\n[Service]\n${service}`
      await writeFile(join(dropIn, 'log.conf'), text)
    }
    for (const [name, text] of Object.entries(others(directory))) await writeFile(join(units, name), text)
    await run('mkfifo', [join(directory, 'ready'), join(directory, 'failed')])
    const group = join(
      existsSync('/sys/fs/cgroup/unified') ? '/sys/fs/cgroup/unified' : '/sys/fs/cgroup',
      basename(directory),
    )
    mkdirSync(group)
    const apart = ['--cgroup', '--pid', '--mount', '--net', '--uts', '--ipc', '--fork', '--kill-child', '--mount-proc']
    const enter = `echo $$ >"$GROUP/cgroup.procs"; exec unshare ${apart.join(' ')} sh -euc "$SET_UP"`
    const env = { PATH: process.env.PATH, ROOT: root, UNITS: units, GROUP: group, SET_UP: setUp }
    const ADDRESSES = addresses.join(' ')
    const outer = spawn('sh', ['-c', enter], { env: { ...env, ADDRESSES }, stdio: ['ignore', 'ignore', 'pipe'] })
    let errors = ''
    outer.stderr.on('data', (text) => {
      errors += text
    })
    const ended = once(outer, 'exit').then(() => Promise.reject(new Error(`systemd ended:\n${errors}`)))
    await Promise.race([readFile(join(directory, 'ready')), ended])
    ended.catch(() => {})
    return new SystemdMachine(directory, group, outer)
  }

  /** Runs a command there. */
  async run(...command: readonly string[]): Promise<string> {
    return (await run('nsenter', ['--target', this.#systemd, '--all', '--', ...command])).stdout
  }

  /** Writes a file below /etc/mailroom. */
  async write(name: string, text: string, mode = 0o600): Promise<void> {
    const path = `/proc/${this.#systemd}/root/etc/mailroom/${name}`
    mkdirSync(dirname(path), { recursive: true })
    await writeFile(path, text, { mode })
  }

  /** Writes the settings of an instance. */
  async set(instance: string, settings: Readonly<Record<string, string>>): Promise<void> {
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`)
    await this.write(`${instance}.env`, lines.join(''))
  }

  /** Properties of the unit (`systemctl show`). */
  async show(instance: string, ...names: readonly string[]): Promise<Record<string, string>> {
    const shown = await this.run('systemctl', 'show', `mailroom@${instance}`, `--property=${names.join(',')}`)
    return Object.fromEntries(
      shown
        .trim()
        .split('\n')
        .map((line) => line.split(/=(.*)/s).slice(0, 2)),
    )
  }

  /** Resolves once systemd has given up a unit of Mailroom. */
  async givenUp(): Promise<void> {
    await readFile(join(this.#directory, 'failed'))
  }

  /** What the unit has written. */
  log(): Promise<string> {
    return readFile(join(this.#directory, 'log'), 'utf8').catch(() => '')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#outer, 'exit')
    // All in its namespace end with it, before it is gone.
    process.kill(Number(this.#systemd), 'SIGKILL')
    await ended
    removeGroup(this.#group)
    await rm(this.#directory, { recursive: true, force: true })
  }
}

function removeGroup(group: string): void {
  for (const entry of readdirSync(group, { withFileTypes: true }))
    if (entry.isDirectory()) removeGroup(join(group, entry.name))
  rmdirSync(group)
}
