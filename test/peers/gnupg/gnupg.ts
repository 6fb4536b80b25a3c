import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** GnuPG with a key ring of its own, gone when it is disposed of. Its directory has a short name, since its agent listens on
 *  a socket in there. */
export class GnuPg implements AsyncDisposable {
  readonly #home: string

  private constructor(home: string) {
    this.#home = home
  }

  static async start(): Promise<GnuPg> {
    return new GnuPg(await mkdtemp(join(tmpdir(), 'gpg-')))
  }

  /** Makes a key of these kinds, as GnuPG names them, good for a year and without a passphrase; answers its fingerprint. */
  async newKey(
    name: string,
    { primary, subkey, at }: { primary: string; subkey?: string; at?: string },
  ): Promise<string> {
    // The time stands still, or the key would be newer than what is added to it.
    const when = at === undefined ? [] : ['--faked-system-time', `${at}!`]
    await this.run([...when, '--quick-generate-key', name, primary, 'cert,sign', '1y'])
    const listed = (await this.run(['--with-colons', '--list-keys', name])).toString()
    const fingerprint = /^fpr:+([0-9A-F]+):/m.exec(listed)?.[1] ?? ''
    if (subkey) await this.run([...when, '--quick-add-key', fingerprint, subkey, 'encr', '1y'])
    return fingerprint
  }

  async revoke(fingerprint: string): Promise<void> {
    const certificate = await readFile(join(this.#home, 'openpgp-revocs.d', `${fingerprint}.rev`), 'utf8')
    await this.run(['--import'], Buffer.from(certificate.replace(/^:/m, '')))
  }

  async certificate(fingerprint: string): Promise<string> {
    return (await this.run(['--armor', '--export', fingerprint])).toString()
  }

  decrypt(message: Buffer): Promise<Buffer> {
    return this.run(['--decrypt'], message)
  }

  /** What it writes. Rejects with what it says of the error. */
  run(args: readonly string[], input: Buffer = Buffer.of()): Promise<Buffer> {
    const usual = [
      '--homedir',
      this.#home,
      ...['--batch', '--yes', '--quiet', '--passphrase', '', '--pinentry-mode', 'loopback'],
    ]
    return new Promise((resolve, reject) => {
      const options = { encoding: 'buffer', maxBuffer: 64 << 20, env: { PATH: process.env.PATH, LC_ALL: 'C' } } as const
      const child = execFile('gpg', [...usual, ...args], options, (error, stdout, stderr) =>
        error ? reject(new Error(`gpg ${args.join(' ')}: ${stderr}`)) : resolve(stdout),
      )
      child.stdin?.on('error', () => {}) // it ends early where it cannot go on
      child.stdin?.end(input)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise((resolve) => execFile('gpgconf', ['--homedir', this.#home, '--kill', 'all'], resolve))
    await rm(this.#home, { recursive: true, force: true })
  }
}
