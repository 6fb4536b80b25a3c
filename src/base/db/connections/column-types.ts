import pg from 'pg'

const int8 = 20
const date = 1082
const numeric = 1700
const arrays = new Map([
  [1016, int8],
  [1182, date],
  [1231, numeric],
])
const textArray: number = 1009

/** How columns become JavaScript values, if not as node-postgres does: it returns strings and local dates. */
const parsers = new Map<number, (text: string) => unknown>([
  [int8, exactNumber],
  [numeric, exactNumber],
  [date, (text) => text], // a day has no time zone, so no Date stands for it
])

/** @throws RangeError beyond ±2^53, where a number would silently become another one. */
function exactNumber(text: string): number {
  const value = Number(text)
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value
  throw new RangeError(`${text} does not fit a JavaScript number`)
}

export const columnTypes = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): (text: string) => unknown {
    const element = arrays.get(oid)
    const parser = parsers.get(element ?? oid)
    if (!parser || format === 'binary') return pg.types.getTypeParser(oid, format)
    return element === undefined ? parser : (text) => arrayOf(text, parser)
  },
}

function arrayOf(text: string, parser: (text: string) => unknown): unknown {
  const entries: unknown = pg.types.getTypeParser(textArray, 'text')(text)
  return parseEach(entries, parser)
}

function parseEach(entry: unknown, parser: (text: string) => unknown): unknown {
  if (Array.isArray(entry)) return entry.map((inner) => parseEach(inner, parser))
  return typeof entry === 'string' ? parser(entry) : entry
}
