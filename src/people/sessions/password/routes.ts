import { chosenPassword } from '#/base/secrets/password.ts'
import { confirmedForMs } from '#/http/access/confirmation.ts'
import { answerIn } from '#/http/answers/claimed-key.ts'
import { ok } from '#/http/answers/idempotency.ts'
import type { App } from '#/http/app-type.ts'
import { Line, Strict } from '#/http/schemas/shared-schemas.ts'
import { Type } from '#/http/schemas/type.ts'
import { forConfirmedMembers, forMembers, inSession } from '../for-members.ts'
import { type PasskeyRouteDependencies, passkeyParts } from '../passkeys/routes.ts'
import { confirmByPasskey } from '../passkeys/signed.ts'
import { Confirmation, wayConfirming } from '../sign-in/body.ts'
import type { SecondFactorDependencies } from '../totp/second-factor.ts'
import { confirmByPassword, setPassword } from './password.ts'
import { assertPasswords } from './passwords-off.ts'

export interface PasswordRouteDependencies extends SecondFactorDependencies, PasskeyRouteDependencies {}

/** A member sets their password, and confirms who they are. */
export function passwordRoutes(app: App, parts: PasswordRouteDependencies): void {
  const { clock, passwords } = parts
  app.put(
    '/v1/me/password',
    {
      ...forConfirmedMembers,
      schema: {
        summary: 'Set your password',
        operationId: 'setPassword',
        description:
          "Sets or changes the member's password. The member's other sessions end within 5 seconds in every " +
          'process, and so does their sign-in link.',
        body: Strict({
          password: Line({
            description:
              '12 to 256 characters, at least 5 of them different, and none that is soon guessed: a common password, a row ' +
              "of keys, one's address. There are no other rules.",
            examples: ['correct horse battery staple'],
            rule: chosenPassword,
          }),
        }),
        response: { 200: Type.Object({ has_password: Type.Literal(true) }) },
      },
    },
    async (request) => {
      assertPasswords(passwords)
      const { password } = request.body
      const answer = { has_password: true as const }
      const change = { password, by: request.actor, now: new Date(clock.now()) }
      await setPassword(parts.db, inSession(request), change, (tx) => answerIn(tx, request, ok(answer)))
      return answer
    },
  )

  app.post(
    '/v1/session/confirm',
    {
      ...forMembers,
      config: { ...forMembers.config, repeatable: false },
      schema: {
        summary: 'Confirm who you are',
        operationId: 'confirmSession',
        description:
          "Confirms with the member's password, and a code of the second factor if there is one; or with a " +
          'passkey, by a challenge of `POST /v1/session/confirm/challenge`. Dangerous requests are then allowed ' +
          'for 10 minutes in this session, as after a sign-in.',
        body: Confirmation,
        response: { 200: Type.Object({ confirmed_until: Type.String({ format: 'date-time' }) }) },
      },
    },
    async (request) => {
      const now = new Date(clock.now())
      const { body, clientAddress: address } = request
      const way = wayConfirming(body)
      if ('passkey' in way) {
        await confirmByPasskey({ ...passkeyParts(parts, request), address }, inSession(request), way.passkey)
      } else {
        assertPasswords(passwords)
        await confirmByPassword(parts, inSession(request), { ...way, address, now })
      }
      return { confirmed_until: new Date(now.getTime() + confirmedForMs).toISOString() }
    },
  )
}
