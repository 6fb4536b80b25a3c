/** Messages of a step: as many as take about `stepMs`, for which an embedded database serves nobody else. */
const [fewest, most] = [100, 500]
const stepMs = 15

export const usualStep = 250

/** After a step of so many messages that took so many milliseconds. */
export function nextStep(size: number, ms: number): number {
  const wanted = Math.min(1.5, Math.max(0.5, stepMs / ms)) * size
  return Math.round(Math.min(most, Math.max(fewest, wanted)))
}
