import type { FastifyReply, FastifyRequest } from 'fastify'
import { notFound, Refusal } from '#/base/errors.ts'
import type { App } from './app-type.ts'

interface Pages {
  /** Answers a browser with a page; undefined for a request that does not ask for one. */
  readonly page: (request: FastifyRequest, reply: FastifyReply) => FastifyReply | undefined
}

/** Answers requests without a route. If the path supports other methods, names them in `Allow` (RFC 9110, section 10.2.1),
 *  except to a key those that are not for keys. */
export function answerUnknownRoutes(app: App, pages: Pages): void {
  const routes: { readonly url: string; readonly method: string; readonly forMembers: boolean }[] = []
  app.addHook('onRoute', ({ url, method, config }) => {
    for (const one of [method].flat()) routes.push({ url, method: one, forMembers: config?.access !== undefined })
  })
  app.setNotFoundHandler((request, reply) => {
    const { method, url, member } = request
    const shown = pages.page(request, reply)
    if (shown) return shown
    const steps = stepsOf(url)
    const known = routes.filter(({ url, forMembers }) => (member || !forMembers) && matches(url, steps))
    if (known.length === 0) throw notFound('path or method')
    const allowed = [...new Set(known.map((route) => route.method))].sort().join(', ')
    reply.header('Allow', allowed)
    throw new Refusal('not_found', 'No such path or method', { fix: `This path supports ${allowed}, not ${method}` })
  })
}

function matches(template: string, steps: readonly string[]): boolean {
  const parts = template.split('/')
  return (
    parts.length === steps.length && parts.every((part, at) => (part.startsWith(':') ? steps[at] : part === steps[at]))
  )
}

function stepsOf(url: string): string[] {
  const [path = ''] = url.split('?')
  return path.split('/').map((step) => {
    try {
      return decodeURIComponent(step)
    } catch {
      return step
    }
  })
}
