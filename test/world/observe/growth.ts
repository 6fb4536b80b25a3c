/** Sizes that are compared, in characters: growth of 4 is linear, of 16 quadratic. */
const [small, large] = [16 * 1024, 64 * 1024]
const mostGrowth = 9
/** Below so many milliseconds of the processor nobody waits, and measuring is not exact. */
const noticed = 40
const exact = 3

/** Milliseconds of the processor since then: what others do meanwhile does not count. */
function costSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

/** A small text that takes as long would hold the process for hours if it were larger. */
const isHopeless = (little: number) => little > 100 * noticed
const isFine = (little: number, much: number) => much < noticed || much < mostGrowth * Math.max(little, exact)

/** Whether work grows much faster than its input, again and again. */
export function growsTooFast(work: (text: string) => unknown, textOfSize: (size: number) => string): boolean {
  const texts = [small, large].map(textOfSize) as [string, string]
  const costOf = (text: string) => {
    const before = process.threadCpuUsage()
    work(text)
    return costSince(before)
  }
  for (let tries = 0; tries < 4; tries++) {
    const little = costOf(texts[0])
    if (isHopeless(little)) return true
    if (isFine(little, costOf(texts[1]))) return false
  }
  return true
}

/** The same of work that is awaited. */
export async function awaitedGrowsTooFast(
  work: (text: string) => Promise<unknown>,
  textOfSize: (size: number) => string,
): Promise<boolean> {
  const texts = [small, large].map(textOfSize) as [string, string]
  const costOf = async (text: string) => {
    const before = process.threadCpuUsage()
    await work(text)
    return costSince(before)
  }
  for (let tries = 0; tries < 4; tries++) {
    const little = await costOf(texts[0])
    if (isHopeless(little)) return true
    if (isFine(little, await costOf(texts[1]))) return false
  }
  return true
}

/** Whether work grows much faster than a text that is repeated: `bytes` are those of the larger size. */
export function repeatedGrowsTooFast(work: (text: string) => unknown, bytes: number, textOf: (size: number) => string) {
  return growsTooFast(work, (size) => textOf((size / large) * bytes))
}
