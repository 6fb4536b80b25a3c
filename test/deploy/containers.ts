import { execFile } from 'node:child_process'
import { copyFile, cp, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')

/** The images that those of deploy/ are made from, as they are called there, made from Debian's packages: a test fetches
 *  none from a registry. */
const debian = 'docker.io/library/debian:trixie-slim'
const node = 'docker.io/library/node:24-trixie-slim'

/** Podman with images and containers of its own, all of which are gone at the end. */
export class Containers implements AsyncDisposable {
  readonly directory: string

  private constructor(directory: string) {
    this.directory = directory
  }

  static async open(): Promise<Containers> {
    const containers = new Containers(await mkdtemp(join(tmpdir(), 'pods-')))
    await writeFile(join(containers.directory, 'containers.conf'), settings(containers.directory))
    await containers.#makeDebian()
    return containers
  }

  get env(): NodeJS.ProcessEnv {
    return { ...process.env, CONTAINERS_CONF: join(this.directory, 'containers.conf') }
  }

  /** The arguments by which every call of Podman begins. */
  get own(): readonly string[] {
    return ['--root', join(this.directory, 'storage'), '--runroot', join(this.directory, 'run')]
  }

  /** Rejects with the error output of Podman or of the program in the container. */
  async podman(...args: string[]): Promise<string> {
    const { stdout } = await run('podman', [...this.own, ...args], { env: this.env, maxBuffer: 2 ** 24 })
    return stdout.trim()
  }

  /** Builds an image from the Dockerfile in `context`, unless it is named. */
  async build(tag: string, context: string, ...args: string[]): Promise<void> {
    await this.podman(
      ...['build', '--quiet', '--format=docker', '--layers=false', '--network=host'],
      `--tag=${tag}`,
      ...args,
      context,
    )
  }

  /** Mailroom's own. Packages come from where `npm ci` had them on this machine. */
  async buildMailroom(): Promise<void> {
    await this.#makeNode()
    const cache = (await run('npm', ['config', 'get', 'cache'])).stdout.trim()
    const dockerfile = join(root, 'deploy/Dockerfile')
    await this.build('mailroom', root, `--file=${dockerfile}`, `--volume=${cache}:/root/.npm`)
  }

  /** Runs the health check until it succeeds, or the container has ended, in place of a timer of systemd. */
  async healthy(name: string): Promise<void> {
    for (;;) {
      try {
        return void (await this.podman('healthcheck', 'run', name))
      } catch (error) {
        const runs = await this.podman('inspect', name, '--format={{.State.Running}}')
        if (runs !== 'true') throw new Error(await this.podman('logs', name), { cause: error })
        await wait(200)
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.podman('rm', '--all', '--force', '--time=0', '--volumes')
    await this.podman('system', 'reset', '--force')
    await rm(this.directory, { recursive: true, force: true })
  }

  async #makeDebian(): Promise<void> {
    const file = join(this.directory, 'debian.tar')
    // Nothing outlives the test, so nothing needs to be synced.
    const quick = ['--dpkgopt=force-unsafe-io', '--aptopt=Acquire::Languages "none"']
    await run('mmdebstrap', ['--quiet', '--variant=minbase', ...quick, 'trixie', file, 'http://deb.debian.org/debian'])
    await this.podman('import', '--quiet', file, debian)
    await rm(file)
  }

  /** Node as it runs this, npm, and whom this machine trusts. */
  async #makeNode(): Promise<void> {
    const context = join(this.directory, 'node')
    await mkdir(context)
    await copyFile(process.execPath, join(context, 'node'))
    const npm = await realpath((await run('which', ['npm'])).stdout.trim())
    await cp(join(npm, '../..'), join(context, 'npm'), { recursive: true })
    await copyFile('/etc/ssl/certs/ca-certificates.crt', join(context, 'authorities.pem'))
    await writeFile(
      join(context, 'Dockerfile'),
      `FROM ${debian}
      COPY node /usr/local/bin/node
      COPY npm /usr/local/lib/npm
      COPY authorities.pem /usr/local/etc/authorities.pem
      RUN ln -s ../lib/npm/bin/npm-cli.js /usr/local/bin/npm
      ENV npm_config_cafile=/usr/local/etc/authorities.pem
      `,
    )
    await this.build(node, context)
    await rm(context, { recursive: true })
  }
}

/** Nothing in Podman's usual places, and no more than a machine allows that is a container or a guest itself. */
function settings(directory: string): string {
  return `
[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
tmp_dir = "${directory}/tmp"
[network]
network_backend = "netavark"
network_config_dir = "${directory}/networks"
default_subnet = "10.213.0.0/24"
default_subnet_pools = [{ base = "10.214.0.0/16", size = 24 }]
`
}
