/** Sizes that are compared, in characters: growth of 4 is linear, of 16 quadratic. */
const [small, large] = [16 * 1024, 64 * 1024]
const mostGrowth = 9
/** Below so many milliseconds of the processor nobody waits, and measuring is not exact. */
const noticed = 40
const exact = 3

/** Milliseconds of the processor: what others do meanwhile does not count. */
function costOf(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

/** Whether work grows much faster than its input, again and again. */
export function growsTooFast(work: (text: string) => unknown, textOfSize: (size: number) => string): boolean {
  const texts = [small, large].map(textOfSize) as [string, string]
  for (let tries = 0; tries < 4; tries++) {
    const little = costOf(() => work(texts[0]))
    // A small text that takes as long would hold the process for hours if it were larger.
    if (little > 100 * noticed) return true
    const much = costOf(() => work(texts[1]))
    if (much < noticed || much < mostGrowth * Math.max(little, exact)) return false
  }
  return true
}

/** Whether work grows much faster than a text that is repeated: `bytes` are those of the larger size. */
export function repeatedGrowsTooFast(
  work: (text: string) => unknown,
  bytes: number,
  textOf: (bytes: number) => string,
) {
  return growsTooFast(work, (size) => textOf((size / large) * bytes))
}
