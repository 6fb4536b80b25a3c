import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { FastifyReply } from 'fastify'
import { notFound } from '#/base/errors.ts'
import { takesCoding } from '#/http/answers/accept-encoding.ts'
import type { App } from '#/http/app-type.ts'

/** Codings in order of preference, and the extension of a file's copy in each (`build.ts`). */
const codings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** The scripts, styles and images of a build, read once: a build made while the service runs replaces the files, and the pages of
 *  this service name those it began with. Some 2 MB. */
export class Assets {
  readonly #files: ReadonlyMap<string, Buffer>

  private constructor(files: ReadonlyMap<string, Buffer>) {
    this.#files = files
  }

  static async read(directory: string): Promise<Assets> {
    const names = await readdir(directory)
    return new Assets(
      new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(directory, name))] as const))),
    )
  }

  has(name: string): boolean {
    return this.#files.has(name)
  }

  serve(app: App): void {
    app.get('/assets/:name', { schema: { hide: true } }, ({ params, headers }, reply) => {
      const { name } = params as { name: string }
      return this.#answer(name, headers['accept-encoding'], reply)
    })
  }

  #answer(name: string, accepted: string | readonly string[] | undefined, reply: FastifyReply): FastifyReply {
    const type = types[extname(name)]
    const plain = this.#files.get(name)
    if (type === undefined || plain === undefined) throw notFound('file')
    const [coding, suffix] =
      codings.find(([one, end]) => takesCoding(accepted, one) && this.#files.has(name + end)) ?? []
    if (coding !== undefined) reply.header('Content-Encoding', coding)
    return reply
      .headers({
        // The name has a hash of the content.
        'Cache-Control': 'public, max-age=31536000, immutable',
        Vary: 'Accept-Encoding',
        'X-Content-Type-Options': 'nosniff',
      })
      .type(type)
      .send(this.#files.get(name + (suffix ?? '')))
  }
}
