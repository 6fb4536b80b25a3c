import { Refusal } from '#/base/errors.ts'

/** @throws Refusal if members have no passwords */
export function assertPasswords(on: boolean): void {
  if (on) return
  throw new Refusal('forbidden', 'Members have no passwords here', {
    fix: 'Sign in another way (`GET /v1/session/ways`), or by a link',
  })
}
