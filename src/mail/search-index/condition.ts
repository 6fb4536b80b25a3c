import { type RawBuilder, sql } from 'kysely'
import { attachmentMark, holdsPhrase, holdsWords, idMark, wordsQuery } from './index-text.ts'
import type { SearchTree } from './query.ts'
import { timeOf } from './scope.ts'

/** Whether a message is a result: over `mail_messages message`, its `content` and its `search`, which may be null. */
export function condition(
  tree: SearchTree,
  now: Date,
  foldersNamed: (name: string) => readonly number[],
): RawBuilder<boolean> {
  const of = (one: SearchTree) => condition(one, now, foldersNamed)
  switch (tree.kind) {
    case 'all':
      return sql`(${sql.join(tree.of.map(of), sql` and `)})`
    case 'either':
      return sql`(${sql.join(tree.of.map(of), sql` or `)})`
    case 'not':
      return sql`not ${of(tree.of)}`
    case 'text':
      return sql`coalesce(${holdsPhrase(tree.field, tree.text)}, false)`
    case 'label':
      return sql`(${tree.keyword}::text = any(message.keywords))`
    case 'folder':
      return tree.name === null ? sql`true` : sql`(message.folder_id = any(${foldersNamed(tree.name)}::bigint[]))`
    case 'attachment':
      return sql`content.has_attachment`
    case 'unread':
      return sql`(not message.seen)`
    case 'starred':
      return sql`message.flagged`
    case 'before':
    case 'older_than':
      return sql`(message.received_at < ${timeOf(tree, now)})`
    case 'after':
    case 'newer_than':
      return sql`(message.received_at >= ${timeOf(tree, now)})`
    case 'larger':
      return sql`(message.size_bytes > ${tree.bytes}::bigint)`
    case 'smaller':
      return sql`(message.size_bytes < ${tree.bytes}::bigint)`
    case 'message_id':
      return sql`(coalesce(content.message_id = ${tree.id}, false))`
  }
}

/** A condition on words that all results meet, which the index evaluates alone; undefined if there is none. */
export function necessaryWords(tree: SearchTree): string | undefined {
  switch (tree.kind) {
    case 'text':
      return wordsQuery(tree.field, tree.text)
    case 'message_id':
      return `'${idMark(tree.id)}'`
    case 'all': {
      const known = tree.of.flatMap((one) => necessaryWords(one) ?? [])
      if (known.length === 0) return undefined
      // Not evaluated by the index, which may not have a message yet.
      if (tree.of.some((one) => one.kind === 'attachment')) known.push(`'${attachmentMark}'`)
      return `(${known.join(' & ')})`
    }
    case 'either': {
      const each = tree.of.map(necessaryWords)
      return each.includes(undefined) ? undefined : `(${each.join(' | ')})`
    }
    default:
      return undefined
  }
}

/** Whether the index would find a message, `search`, by its necessary words: on a sample it estimates the number of matches. */
export function heldWords(tree: SearchTree): RawBuilder<boolean> {
  switch (tree.kind) {
    case 'text':
      return holdsWords(tree.field, tree.text)
    case 'message_id':
      return sql`(strpos(search.words, ${` ${idMark(tree.id)} `}) > 0)`
    case 'all': {
      const marked = tree.of.some((one) => one.kind === 'attachment')
        ? [sql`strpos(search.words, ${` ${attachmentMark} `}) > 0`]
        : []
      return sql`(${sql.join([...tree.of.map(heldWords), ...marked], sql` and `)})`
    }
    case 'either':
      return sql`(${sql.join(tree.of.map(heldWords), sql` or `)})`
    default:
      return sql`true`
  }
}
