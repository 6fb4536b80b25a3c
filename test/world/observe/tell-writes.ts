// Preloaded into a service with --import, it writes a line to standard output each time a statement is committed that writes to one of the
// tables that TELL_WRITES names, with | between them. A statement in a transaction counts with the commit of that.
import type pg from 'pg'
import { watchStatements } from './statements.ts'

const tables = new RegExp(`\\b(?:insert into|update|delete from) "?(?:${process.env.TELL_WRITES})\\b`, 'i')
const written = new Set<pg.Client>()

watchStatements(({ text, client }) => {
  if (tables.test(text)) written.add(client)
  else if (text !== 'commit') return undefined
  return (error) => {
    if (error || !written.has(client)) return
    if (text === 'commit') written.delete(client)
    process.stdout.write('written\n')
  }
})
