import { Refusal } from '#/errors.ts'

/** For so long after a member has proved who they are, they may do what is dangerous. In milliseconds. */
export const confirmedForMs = 600_000

/** @throws Refusal if the member has last proved too long ago who they are */
export function assertConfirmed(confirmedAt: Date, now: number): void {
  if (now < confirmedAt.getTime() + confirmedForMs) return
  throw new Refusal('forbidden', 'This needs a confirmation within the last 10 minutes', {
    fix: 'Use `POST /v1/session/confirm`, or sign in again; then send the request again',
    needs: 'confirmation',
  })
}
