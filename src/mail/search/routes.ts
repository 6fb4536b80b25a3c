import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '#/base/clock/clock.ts'
import type { Db } from '#/base/db/schema.ts'
import { FairShare } from '#/base/event-loop/fair-share.ts'
import type { Owner } from '#/base/ownership/owner.ts'
import type { MessageReader } from '#/formats/mime/reader.ts'
import type { App } from '#/http/app-type.ts'
import { shareFor } from '#/http/rate/budgets.ts'
import { readableMailboxes } from '#/mail/mailboxes/readable.ts'
import { visibleKeywords } from '#/mail/messages/queries.ts'
import { itemsFor, noIds } from '#/mail/messages/visible.ts'
import type { Found, SearchTree } from '#/mail/search-index/query.ts'
import { searchMail } from '#/mail/search-index/search.ts'
import type { ConversationNames } from '#/mail/threads/message-ids.ts'
import { cursorAt, readCursor } from './cursor.ts'
import { mistake, type Parsed, parseQuery } from './query.ts'
import { SearchOut, SearchQuery } from './schemas.ts'
import { type Match, Snippets } from './snippet.ts'

interface SearchDependencies {
  readonly names: ConversationNames
  readonly db: Db

  readonly reader: MessageReader
  readonly clock: Clock
  /** This installation's name in DNS. */
  readonly hostname: string
}

/** Searches that run at a time in a process. */
const budget = { all: 8, waiting: 200, patience: 30_000 }

export function searchRoutes(app: App, { db, reader, clock, hostname, names }: SearchDependencies): void {
  const searches = new FairShare(budget)
  app.get(
    '/v1/search',
    {
      config: { noun: 'Search', scope: 'messages:read', errors: ['not_found', 'mail_unavailable'] },
      schema: {
        summary: 'Search messages',
        operationId: 'searchMessages',
        description:
          'Finds messages, the last received first. A message must match all terms of `q`, which `OR`, `-` and ' +
          'brackets combine. A mistake in `q` is `invalid_request` and names its place; a Private mailbox is ' +
          '`invalid_request` too. Junk and trash are searched only with `in:`.',
        querystring: SearchQuery,
        response: { 200: SearchOut },
      },
    },
    async ({ caller, organizationId, query: { q, mailbox, limit = 25, cursor } }, reply) => {
      const parsed = parseQuery(q)
      const named = mailbox === undefined ? undefined : [mailbox].flat()
      const search = [q, ...(named ?? [])]
      const after = cursor ? readCursor(cursor, search) : undefined
      const mailboxes = await readableMailboxes(db, caller, named)
      await assertLabelsKnown(db, caller, q, parsed)
      using _share = await shareFor(searches, reply, 1, 'Too many searches run at this moment')
      const refs = [...mailboxes.keys()].map((mailboxId) => ({ organizationId, mailboxId }))
      const now = new Date(clock.now())
      const page = await searchMail(db, refs, { tree: parsed.tree, now, limit, after })
      const summaries = page.found.map(({ summary }) => summary)
      const items = await itemsFor({ db, hostname }, caller, summaries)
      const ids = await names.ofPage(
        page.found.map(({ mailboxId, summary: { folder, uid } }) => {
          return { mailbox: { organizationId, mailboxId }, folder, uid }
        }),
      )
      const matches = await matchesOf(reader, parsed.tree, page.found)
      return {
        data: items.map((item, index) => ({
          mailbox: mailboxes.get(page.found[index]?.mailboxId ?? '') ?? '',
          ...{ ...item, ...(ids[index] ?? noIds) },
          match: matches[index] ?? null,
        })),
        next_cursor: page.next ? cursorAt(page.next, search) : null,
        partial: page.partial,
        indexing: page.indexing,
      }
    },
  )
}

/** Labels of other members do not exist. */
async function assertLabelsKnown(db: Db, owner: Owner, q: string, { labels }: Parsed): Promise<void> {
  const known = await visibleKeywords(db, owner, [...labels.keys()])
  for (const [keyword, at] of labels) {
    if (!known.has(keyword)) throw mistake(q, at, `No label has the keyword ${JSON.stringify(keyword)}`)
  }
}

/** Milliseconds of work to show where messages matched. What other requests do meanwhile does not count. */
const longestShown = 500

/** Each in a turn of the event loop of its own. Once the time is used up, the rest is not shown. */
async function matchesOf(reader: MessageReader, tree: SearchTree, found: readonly Found[]): Promise<(Match | null)[]> {
  const snippets = new Snippets(tree)
  const matches: (Match | null)[] = []
  let spent = 0
  for (const { beginning } of found) {
    if (spent > longestShown) break
    const since = performance.now()
    matches.push(snippets.matchIn(await reader.searchable(beginning)))
    spent += performance.now() - since
    await nextTurn()
  }
  return matches
}
