import { sql } from 'kysely'
import type { Db } from '#/base/db/schema.ts'

/** Until it is disposed, the database refuses to insert, update or delete the rows of a table for which the condition on `new` or `old`
 *  holds. */
export async function failing(
  db: Db,
  what: 'insert' | 'update' | 'delete',
  table: string,
  when = 'true',
): Promise<AsyncDisposable> {
  await sql`
    create function fail() returns trigger language plpgsql as $$ begin
      raise exception 'not today';
    end $$`.execute(db)
  await sql`
    create trigger fail before ${sql.raw(what)} on ${sql.table(table)} for each row
    when (${sql.raw(when)}) execute function fail()`.execute(db)
  return { [Symbol.asyncDispose]: async () => void (await sql`drop function if exists fail cascade`.execute(db)) }
}
