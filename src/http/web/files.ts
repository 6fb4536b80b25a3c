import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '#/http/app-type.ts'
import { Assets } from './assets.ts'

/** The content security policy: files of this service only. It has no inline script or style. A message's HTML is shown in a frame
 *  without scripts and with an origin of its own. Its document comes from the page (`srcdoc`), so it inherits this policy,
 *  which its own policy can only narrow. Mail needs styles and pictures: styles of a message have a nonce that no message
 *  can know, and its pictures are `data:` URLs. `unsafe-inline` would also do, but for the whole app. Pictures in a message
 *  that is being written are `blob:` URLs: they are in the browser until they are sent. */
const policyFor = (nonce: string) =>
  [
    "default-src 'none'",
    "base-uri 'none'",
    "connect-src 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "img-src 'self' data: blob:",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
  ].join('; ')

const headers = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  // Assets are cached for good; the page, which names those of the newest build, is revalidated each time.
  'Cache-Control': 'no-cache',
}

/** The built web app: its files, and the page for every path without a route. */
export class WebPages {
  readonly #directory: string | undefined
  #page = ''

  /** `directory` has the build; undefined without one. */
  constructor(directory: string | undefined) {
    this.#directory = directory
  }

  /** Serves the files, and `/`, which leads to the reference if there is no web app. */
  async serve(app: App): Promise<void> {
    if (this.#directory !== undefined) {
      const { page, assets } = await readBuild(this.#directory)
      this.#page = page
      assets.serve(app)
    }
    const hidden = { schema: { hide: true } }
    app.get('/', hidden, (request, reply) => this.page(request, reply) ?? reply.redirect('/docs/'))
  }

  /** Answers a browser that requests a page with the app; undefined for any other request. */
  page(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
    if (this.#directory === undefined || !asksForPage(request)) return undefined
    const nonce = randomBytes(16).toString('base64')
    return reply
      .headers({ ...headers, 'Content-Security-Policy': policyFor(nonce) })
      .code(200)
      .type('text/html; charset=utf-8')
      .send(this.#page.replace('{nonce}', nonce))
  }
}

/** How often a build is read that another may replace meanwhile. */
const attempts = 3

/** The page of a build and the files that it names. */
async function readBuild(directory: string): Promise<{ readonly page: string; readonly assets: Assets }> {
  for (let attempt = 1; ; attempt++) {
    try {
      const page = await readFile(join(directory, 'index.html'), 'utf8')
      const assets = await Assets.read(join(directory, 'assets'))
      const named = Array.from(page.matchAll(/"\/assets\/([^"]+)"/g), ([, name = '']) => name)
      if (named.every((name) => assets.has(name))) return { page, assets }
      throw new Error('The page of the web app names files that are not there')
    } catch (error) {
      if (attempt === attempts) throw error
    }
  }
}

/** Whether the path is neither the API's nor a file's. */
function asksForPage({ method, url, headers: { accept = '' } }: FastifyRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  return accept.includes('text/html') && !/^\/(?:v1|docs|assets|\.well-known)(?:[/?]|$)/.test(url)
}
