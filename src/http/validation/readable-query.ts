import { invalid, type Refusal } from '#/base/errors.ts'
import type { App } from '../app-type.ts'

/** Refuses a query whose percent-encoding cannot be decoded (RFC 3986, section 2.1), in place of reading it as it is written. */
export function refuseUnreadableQueries(app: App): void {
  app.addHook('preValidation', (request, _reply, done) => done(unreadable(request.url)))
}

function unreadable(url: string): Refusal | undefined {
  const start = url.indexOf('?')
  if (start < 0 || !url.includes('%', start)) return undefined
  for (const pair of url.slice(start + 1).split('&')) {
    if (isDecodable(pair)) continue
    const [name = ''] = pair.split('=', 1)
    const field = isDecodable(name) ? decodeURIComponent(name) : 'query'
    return invalid(field, `${field} is not percent-encoded UTF-8: write % as %25`)
  }
  return undefined
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
