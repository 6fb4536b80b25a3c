const [fewest, most] = [200, 1_000]
/** The target time of a step, in milliseconds: during a step an embedded database serves no other request, and a server locks the folder. */
const wantedMs = { embedded: 20, server: 100 }

export const usualStep = 250

/** Messages of the step that follows one of so many messages that took so many milliseconds. */
export function nextStep(size: number, ms: number, { embedded }: { embedded: boolean }): number {
  const wanted = wantedMs[embedded ? 'embedded' : 'server']
  const times = Math.min(1.5, Math.max(0.5, wanted / ms))
  return Math.round(Math.min(most, Math.max(fewest, times * size)))
}
