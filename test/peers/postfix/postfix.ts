import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onceThere } from '#test/world/observe/once-there.ts'
import { freePort } from '#test/world/sockets/free-port.ts'

const run = promisify(execFile)
const postfix = '/usr/sbin/postfix'

/** `nobody` on Debian. Postfix delivers no mail as root. */
const nobody = 65_534

/** A real Postfix of its own: configuration, queue and mail in a directory that is gone at the end. */
export class Postfix implements AsyncDisposable {
  readonly port: number
  /** Its queue directory, below which services of others put their sockets. */
  readonly queue: string
  readonly #directory: string

  private constructor(directory: string, port: number) {
    this.queue = join(directory, 'queue')
    this.#directory = directory
    this.port = port
  }

  /** Starts it with these settings of main.cf beside its own, as `mx.dest.test`, at a free port of 127.0.0.1. */
  static async start(
    settings: Readonly<Record<string, string>>,
    { cert, key }: { readonly cert: string; readonly key: string },
    /** Of master.cf, beside its own. */
    services = '',
  ): Promise<Postfix> {
    if (!existsSync(postfix)) throw new Error(`There is no Postfix at ${postfix}: apt-get install postfix`)
    if (process.getuid?.() !== 0) throw new Error('Postfix is started by root alone')
    const directory = await mkdtemp(join(tmpdir(), 'mailroom-postfix-'))
    await chmod(directory, 0o755)
    for (const name of ['conf', 'queue', 'data', 'mail', 'log']) await mkdir(join(directory, name))
    const { uid, gid } = await account('postfix')
    await chown(join(directory, 'data'), uid, gid)
    await chown(join(directory, 'mail'), nobody, nobody)
    const port = await freePort()
    await writeFile(join(directory, 'conf/main.cf'), mainCf(directory, settings))
    await writeFile(join(directory, 'conf/master.cf'), masterCf(port) + services)
    await writeFile(join(directory, 'conf/tls.pem'), key + cert, { mode: 0o600 })
    const started = new Postfix(directory, port)
    await started.command('start').catch(async (error) => {
      throw new Error(`Postfix does not start: ${await started.log()}`, { cause: error })
    })
    return started
  }

  /** What mail a user of `dest.test` has got, oldest first. */
  async mail(user: string): Promise<Buffer[]> {
    const folder = join(this.#directory, 'mail', user, 'new')
    const files = existsSync(folder) ? (await readdir(folder)).sort() : []
    return Promise.all(files.map((file) => readFile(join(folder, file))))
  }

  /** Waits until a user has got so many messages. */
  mailOf(user: string, count: number): Promise<Buffer[]> {
    return this.until(async () => {
      const mail = await this.mail(user)
      return mail.length >= count && mail
    })
  }

  /** What is looked for, once it is there. It is looked for now, and each time that Postfix has logged something, as it does when it
   *  has delivered, deferred or returned a message. */
  until<T>(look: () => Promise<T | false | undefined>): Promise<T> {
    return onceThere(join(this.#directory, 'log'), look)
  }

  /** Waits until it has logged such a line. */
  logs(pattern: RegExp): Promise<true> {
    return this.until(async () => pattern.test(await this.log()) || undefined)
  }

  async log(): Promise<string> {
    return readFile(join(this.#directory, 'log/mail'), 'utf8').catch(() => '')
  }

  /** As in `postfix reload`. */
  async command(command: string): Promise<void> {
    await run(postfix, ['-c', join(this.#directory, 'conf'), command])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.command('stop')
    await rm(this.#directory, { recursive: true, force: true })
  }
}

/** Writes the files of a certificate where the samples name them, and answers with what to replace in these. */
export async function certificates(
  directory: string,
  { cert, key }: { readonly cert: string; readonly key: string },
): Promise<Record<string, string>> {
  await writeFile(join(directory, 'fullchain.pem'), cert)
  await writeFile(join(directory, 'privkey.pem'), key, { mode: 0o600 })
  return { '/etc/letsencrypt/live/mail.example.com/': `${directory}/` }
}

/** What a main.cf sets. */
export function settingsOf(mainCf: string): Record<string, string> {
  const whole = mainCf.replace(/^#.*\n/gm, '').replace(/\n[ \t]+/g, ' ')
  return Object.fromEntries(
    Array.from(whole.matchAll(/^(\w+) = (.*)$/gm), ([, name = '', value = '']) => [name, value]),
  )
}

function mainCf(directory: string, settings: Readonly<Record<string, string>>): string {
  const all = {
    compatibility_level: '3.6',
    queue_directory: `${directory}/queue`,
    data_directory: `${directory}/data`,
    maillog_file: `${directory}/log/mail`,
    maillog_file_prefixes: directory,
    myhostname: 'mx.dest.test',
    mydestination: '',
    mynetworks: '',
    inet_interfaces: '127.0.0.1',
    inet_protocols: 'ipv4',
    alias_maps: '',
    notify_classes: '',
    virtual_mailbox_base: `${directory}/mail`,
    virtual_uid_maps: `static:${nobody}`,
    virtual_gid_maps: `static:${nobody}`,
    smtpd_tls_chain_files: `${directory}/conf/tls.pem`,
    smtpd_tls_security_level: 'may',
    smtpd_tls_received_header: 'yes',
    // As Debian's package sets it.
    smtpd_relay_restrictions: 'permit_mynetworks permit_sasl_authenticated defer_unauth_destination',
    ...settings,
  }
  return Object.entries(all)
    .map(([name, value]) => `${name} = ${value}\n`)
    .join('')
}

function masterCf(port: number): string {
  const ofUs =
    'rewrite,-,trivial-rewrite bounce,0 defer,0,bounce trace,0,bounce verify,1 proxymap,- smtp,- relay,-,smtp lmtp,- ' +
    'error,- retry,-,error discard,- anvil,1 scache,1'
  const services = ofUs.split(' ').map((one) => {
    const [name, processes, program = name] = one.split(',')
    return `${name} unix - - n - ${processes} ${program}`
  })
  return `127.0.0.1:${port} inet n - n - - smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
flush unix n - n 1000? 0 flush
virtual unix - n n - - virtual
postlog unix-dgram n - n - 1 postlogd
${services.join('\n')}
`
}

async function account(user: string): Promise<{ uid: number; gid: number }> {
  const id = async (which: string) => Number((await run('id', [which, user])).stdout)
  return { uid: await id('-u'), gid: await id('-g') }
}
