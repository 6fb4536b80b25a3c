// node --import …/bench/without-log.ts: runs Mailroom without an event log.
import { registerHooks } from 'node:module'

const telling = new URL('../src/events/tell.ts', import.meta.url).href
const silent = new URL('silent-tell.ts', import.meta.url).href

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context)
    return resolved.url === telling ? { ...resolved, url: silent } : resolved
  },
})
