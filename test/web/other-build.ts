import { cp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'

/** Copies a build with other names of its files, as a build of other sources has them. */
export async function otherBuild(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true })
  const assets = join(to, 'assets')
  const names = await readdir(assets)
  const others = new Map(
    names.filter((name) => !/\.(?:br|gz)$/.test(name)).map((name) => [name, name.replace(/.{4}(?=\.\w+$)/, '0000')]),
  )
  const renamed = (text: string) =>
    text.replaceAll(/[\w.-]+-[\w-]{8}\.(?:js|css|svg)/g, (name) => others.get(name) ?? name)
  for (const name of names) if (!others.has(name)) await rm(join(assets, name))
  for (const [name, other] of others) {
    const file = join(assets, name)
    if (extname(name) !== '.svg') await writeFile(file, renamed(await readFile(file, 'utf8')))
    await rename(file, join(assets, other))
  }
  const page = join(to, 'index.html')
  await writeFile(page, renamed(await readFile(page, 'utf8')))
}

/** An address at which one service answers after another: an upgrade, or none for a while. */
export class Address implements AsyncDisposable {
  /** The pages are of this service; undefined while nobody answers. */
  pagesOf: string | undefined
  readonly #base: string
  readonly #server = createServer((asked, answer) => {
    if (this.pagesOf === undefined) return void asked.socket.destroy()
    const isPage = asked.url?.startsWith('/assets/') || asked.headers.accept?.includes('text/html')
    const to = new URL(asked.url ?? '/', isPage ? this.pagesOf : this.#base)
    const passed = request(to, { method: asked.method, headers: asked.headers }, (got) => {
      answer.writeHead(got.statusCode ?? 500, got.headers)
      got.pipe(answer)
    })
    passed.on('error', () => answer.destroy())
    answer.on('close', () => passed.destroy())
    asked.pipe(passed)
  })

  private constructor(base: string) {
    this.#base = base
    this.pagesOf = base
  }

  /** All but the pages is that of `base`. */
  static async of(base: string): Promise<Address> {
    const address = new Address(base)
    const { promise, resolve } = Promise.withResolvers<void>()
    address.#server.listen(0, '127.0.0.1', resolve)
    await promise
    return address
  }

  get base(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** The service ends, or is started again with another build. */
  cut(pagesOf: string | undefined): void {
    this.pagesOf = pagesOf
    this.#server.closeAllConnections()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#server.close(() => resolve())
    await promise
  }
}
