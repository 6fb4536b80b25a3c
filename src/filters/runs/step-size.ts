const [fewest, most] = [100, 500]
/** A step should take so long, in milliseconds: for a step an embedded database serves nobody else, a server keeps the folder locked. */
const wantedMs = { embedded: 15, server: 100 }

export const usualStep = 250

/** Messages of the step that follows one of so many messages that took so many milliseconds. */
export function nextStep(size: number, ms: number, { embedded }: { embedded: boolean }): number {
  const wanted = wantedMs[embedded ? 'embedded' : 'server']
  const times = Math.min(1.5, Math.max(0.5, wanted / ms))
  return Math.round(Math.min(most, Math.max(fewest, times * size)))
}
