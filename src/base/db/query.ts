import { CompiledQuery } from 'kysely'
import type { Lanes } from './connections/lanes.ts'
import type { Db } from './schema.ts'

const texts = new WeakMap<TemplateStringsArray, string>()
const lanesOf = new WeakMap<Db, Lanes>()

/** From now on `query` outside a transaction uses these lanes. */
export function useLanes(db: Db, lanes: Lanes): void {
  lanesOf.set(db, lanes)
}

/** A part of a statement's text that several statements share. It must be the same each time. */
export class SqlPart {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Runs a short statement that is part of many requests. Its text is made once, while Kysely builds a tree and prints it
 *  each time, a tenth of GET /v1/labels. Values become parameters, never text. Outside a transaction it shares a connection
 *  if there are lanes, unless it may wait for a lock. */
export function query<Row extends object>(
  db: Db,
  { mayWait = false } = {},
): (parts: TemplateStringsArray, ...values: unknown[]) => Promise<Row[]> {
  return async (parts, ...given) => {
    const text = textOf(parts, given)
    const values = given.filter((value) => !(value instanceof SqlPart))
    const lanes = mayWait ? undefined : lanesOf.get(db)
    return lanes
      ? await lanes.query<Row>(text, values)
      : (await db.executeQuery<Row>(CompiledQuery.raw(text, values))).rows
  }
}

function textOf(parts: TemplateStringsArray, given: readonly unknown[]): string {
  const known = texts.get(parts)
  if (known !== undefined) return known
  let values = 0
  const text = parts.reduce((before, part, number) => {
    const value = given[number - 1]
    return before + (value instanceof SqlPart ? value.text : `$${++values}`) + part
  })
  texts.set(parts, text)
  return text
}
