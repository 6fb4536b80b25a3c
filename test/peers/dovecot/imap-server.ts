// A throwaway Dovecot, for benches that compare with it.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { untilNobodyAnswers } from '#test/world/sockets/answers.ts'
import { freePort } from '#test/world/sockets/free-port.ts'

const dovecot = '/usr/sbin/dovecot'

/** `nobody` on Debian. Dovecot opens no mail as root. */
const nobody = 65_534

/** Where it listens, and who may act for all logins. */
interface Address {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
}

/** A real Dovecot of its own, listening on a free port of 127.0.0.1: every login exists, and a master user may act for all
 *  of them. Configuration and mail are in a directory that is gone at the end. */
export class DovecotServer implements AsyncDisposable {
  readonly server: Address
  readonly #directory: string
  #process: ChildProcess | undefined

  private constructor(directory: string, server: Address) {
    this.#directory = directory
    this.server = server
  }

  /** Starts it with these settings beside its own. The password of all logins is the one with this hash of argon2id, or any. */
  static async start(settings = '', passwordHash?: string): Promise<DovecotServer> {
    if (!existsSync(dovecot)) throw new Error(`There is no Dovecot at ${dovecot}: apt-get install dovecot-imapd`)
    if (process.getuid?.() !== 0) throw new Error('Dovecot is started by root alone')
    const directory = await mkdtemp(join(tmpdir(), 'mailroom-dovecot-'))
    await chmod(directory, 0o755)
    await mkdir(join(directory, 'mail'))
    await chown(join(directory, 'mail'), nobody, nobody)
    for (let tries = 1; ; tries++) {
      const port = await freePort()
      const server = { host: '127.0.0.1', port, user: 'mailroom', password: 'p "w' }
      await writeFile(join(directory, 'masters'), `${server.user}:{PLAIN}${server.password}\n`, { mode: 0o644 })
      await writeFile(join(directory, 'dovecot.conf'), ownSettings(directory, server.port, passwordHash) + settings)
      const started = new DovecotServer(directory, server)
      try {
        await started.run()
        return started
      } catch (error) {
        // Another test may have taken the port meanwhile.
        if (tries === 3) throw error
      }
    }
  }

  /** Where the folders of whoever logs in so are. */
  mailOf(login: string): string {
    return join(this.#directory, 'mail', login)
  }

  /** Brings the index of the inbox of whoever logs in so up to date. Rejects with what Dovecot says if it cannot. */
  async index(login: string): Promise<void> {
    await promisify(execFile)('doveadm', ['-c', join(this.#directory, 'dovecot.conf'), 'index', '-u', login, 'INBOX'])
  }

  /** Everything that it keeps: mail, indexes, its log. */
  get directory(): string {
    return this.#directory
  }

  /** Starts it again after it was killed. */
  async run(): Promise<void> {
    const child = spawn(dovecot, ['-F', '-c', join(this.#directory, 'dovecot.conf')], {
      stdio: 'ignore',
      detached: true,
    })
    this.#process = child
    const starting = new AbortController()
    const ended = once(child, 'exit').then(async () => {
      starting.abort()
      throw new Error(`Dovecot does not start: ${await this.log()}`)
    })
    ended.catch(() => {})
    await Promise.race([untilItGreets(this.server.port, starting.signal), ended])
  }

  /** Kills it with everything that it has started. */
  async kill(): Promise<void> {
    const child = this.#process
    this.#process = undefined
    if (child?.pid === undefined || child.exitCode !== null) return
    const ended = once(child, 'exit')
    process.kill(-child.pid, 'SIGKILL')
    await ended
    // Its children may live on for a moment, and their files would keep it from starting again.
    await untilNobodyAnswers(this.server.port)
    await rm(join(this.#directory, 'run'), { recursive: true, force: true })
  }

  log(): Promise<string> {
    return readFile(join(this.#directory, 'log'), 'utf8').catch(() => '')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    await rm(this.#directory, { recursive: true, force: true })
  }
}

/** Before an IMAP server greets, its logins may not work yet. */
export async function untilItGreets(port: number, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted) {
    const socket = connect(port, '127.0.0.1')
    const greets = await once(socket, 'data').then(
      ([greeting]) => String(greeting).startsWith('* OK'),
      () => false,
    )
    socket.destroy()
    if (greets) return
    await wait(10)
  }
}

function ownSettings(directory: string, port: number, passwordHash: string | undefined): string {
  const password = passwordHash === undefined ? 'nopassword=y' : `password={ARGON2ID}${passwordHash}`
  return `
    base_dir = ${directory}/run
    state_dir = ${directory}/run
    log_path = ${directory}/log
    listen = 127.0.0.1
    protocols = imap
    ssl = no
    disable_plaintext_auth = no
    auth_mechanisms = plain
    mail_location = mdbox:${directory}/mail/%u
    mail_uid = nobody
    mail_gid = nogroup
    first_valid_uid = 1
    mail_fsync = never
    mail_max_userip_connections = 10
    default_process_limit = 400
    default_client_limit = 4000
    default_vsz_limit = 0
    service imap-login {
      inet_listener imap {
        port = ${port}
      }
      service_count = 0
      process_min_avail = 1
    }
    service imap {
      service_count = 100
      process_limit = 400
    }
    passdb {
      driver = passwd-file
      args = ${directory}/masters
      master = yes
      result_success = continue
    }
    passdb {
      driver = static
      args = ${password}
    }
    userdb {
      driver = static
      args = uid=nobody gid=nogroup home=${directory}/mail/%u
    }
    namespace inbox {
      inbox = yes
      separator = /
    }
  `
}
