// node --import …/bench/without-index.ts: runs Mailroom without an index for search: nothing is put on its queue.
import { registerHooks } from 'node:module'

const storing = new URL('../../src/mail/store/append-statement.ts', import.meta.url).href
const queueing = 'insert into mail_search_queue (id, organization_id) select id, organization_id from content'

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    if (url !== storing) return loaded
    const text = String(loaded.source)
    if (!text.includes(queueing)) throw new Error('Where mail is stored nothing is put on the queue for search')
    return { ...loaded, source: text.replace(queueing, 'select') }
  },
})
