import { availableParallelism, loadavg } from 'node:os'

/** One line of a bench's table. */
export interface Row {
  readonly what: string
  readonly value: number
  readonly unit: '×' | 'ms' | '%' | 'bytes' | 'MB'
  /** What it must reach, where something is asked of it. */
  readonly least?: number
  readonly most?: number
  /** The figures that the value comes from. */
  readonly from?: string
}

/** Prints the rows one under the other, with what the machine was doing, since no figure means anything without it. */
export function table(name: string, rows: readonly Row[], database = databaseName()): string {
  const lines = rows.map((row) => [row.what, figure(row.value, row.unit), target(row), row.from ?? ''])
  const widths = [0, 1, 2].map((column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  const [load = 0] = loadavg()
  return [
    `${name}, on ${database}, ${availableParallelism()} cores, load ${load.toFixed(1)}`,
    ...lines.map(([what = '', value = '', target = '', from]) => {
      return `  ${what.padEnd(widths[0] ?? 0)}  ${value.padStart(widths[1] ?? 0)}  ${target.padEnd(widths[2] ?? 0)}  ${from}`.trimEnd()
    }),
    '',
  ].join('\n')
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}

/** Runs one after the other in rounds, so that whatever else the machine does befalls both; one more round, or several, comes first
 *  and is not counted, until the code is compiled. */
export async function inTurns<Floor, Ours>(
  rounds: number,
  floor: () => Promise<Floor>,
  ours: () => Promise<Ours>,
  uncounted = 1,
): Promise<{ floor: Floor; ours: Ours }[]> {
  const results: { floor: Floor; ours: Ours }[] = []
  for (let round = 0; round < uncounted + rounds; round++) {
    const result = { floor: await floor(), ours: await ours() }
    if (round >= uncounted) results.push(result)
  }
  return results
}

function figure(value: number, unit: Row['unit']): string {
  const digits = value < 10 ? 2 : value < 100 ? 1 : 0
  return unit === '×' ? `${value.toFixed(2)} ×` : `${value.toFixed(digits)} ${unit}`
}

function target({ value, least, most, unit }: Row): string {
  if (least !== undefined) return `at least ${least} ${unit}${value < least ? ', missed' : ''}`
  if (most !== undefined) return `at most ${most} ${unit}${value > most ? ', missed' : ''}`
  return ''
}

function databaseName(): string {
  return process.env.TEST_DATABASE_URL === undefined ? 'the embedded database' : 'a PostgreSQL server'
}
