// node --import …/bench/without-log.ts: runs Mailroom without an event log.
import { registerHooks } from 'node:module'

const appending = new URL('../../src/base/event-log/append.ts', import.meta.url).href
const silent = new URL('silent-append.ts', import.meta.url).href

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context)
    return resolved.url === appending ? { ...resolved, url: silent } : resolved
  },
})
