import { Refusal } from '#/base/errors.ts'

/** How long after a confirmation a member may do what is dangerous, in milliseconds. */
export const confirmedForMs = 600_000

/** @throws Refusal if the member's last confirmation is too long ago */
export function assertConfirmed(confirmedAt: Date, now: number): void {
  if (now < confirmedAt.getTime() + confirmedForMs) return
  throw new Refusal('forbidden', 'This needs a confirmation within the last 10 minutes', {
    fix: 'Use `POST /v1/session/confirm`, or sign in again; then send the request again',
    needs: 'confirmation',
  })
}
