import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server of one picture. */
export class PictureSite implements AsyncDisposable {
  readonly #server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'image/png' }).end(Buffer.from('89504e470d0a1a0a', 'hex'))
  })

  static async start(): Promise<PictureSite> {
    const site = new PictureSite()
    await once(site.#server.listen(0, '127.0.0.1'), 'listening')
    return site
  }

  /** The address of its picture. */
  get picture(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/logo.png`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}
