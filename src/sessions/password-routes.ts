import type { FastifyRequest } from 'fastify'
import type { App } from '#/http/app-type.ts'
import { confirmedForMs } from '#/http/confirmation.ts'
import { Line, Strict } from '#/http/shared-schemas.ts'
import { Type } from '#/http/type.ts'
import { chosenPassword } from '#/passwords/password.ts'
import type { Clock } from '#/ports/clock.ts'
import { forConfirmedMembers, forMembers, memberOf } from './for-members.ts'
import { confirmByPassword, type InSession, setPassword } from './password.ts'
import { assertPasswords } from './passwords-off.ts'
import { Code, TriedPassword } from './sign-in-body.ts'
import type { SecondFactorParts } from './totp/second-factor.ts'

export interface PasswordRouteParts extends SecondFactorParts {
  readonly clock: Clock
  /** Whether members may have passwords. */
  readonly passwords: boolean
}

/** A member sets their password, and confirms with it that it is them. */
export function passwordRoutes(app: App, { clock, passwords, ...parts }: PasswordRouteParts): void {
  app.put(
    '/v1/me/password',
    {
      ...forConfirmedMembers,
      schema: {
        summary: "Set one's password",
        operationId: 'setPassword',
        description:
          "Or change it. Ends one's other sessions, within 5 seconds in every process, and one's sign-in link.",
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
      await setPassword(parts.db, inSession(request), { password, by: request.actor, now: new Date(clock.now()) })
      return { has_password: true as const }
    },
  )

  app.post(
    '/v1/session/confirm',
    {
      ...forMembers,
      config: { ...forMembers.config, repeatable: false },
      schema: {
        summary: 'Confirm who one is',
        operationId: 'confirmSession',
        description:
          "With one's password, and a code of one's second factor, if there is one. What is dangerous may then be done for 10 minutes in this session, as after a sign-in.",
        body: Strict({ password: TriedPassword, code: Type.Optional(Code) }),
        response: { 200: Type.Object({ confirmed_until: Type.String({ format: 'date-time' }) }) },
      },
    },
    async (request) => {
      assertPasswords(passwords)
      const now = new Date(clock.now())
      const { body, clientAddress: address } = request
      const { password, code } = body
      await confirmByPassword(parts, inSession(request), { password, code, address, now })
      return { confirmed_until: new Date(now.getTime() + confirmedForMs).toISOString() }
    },
  )
}

function inSession(request: FastifyRequest): InSession {
  return { ...memberOf(request), sessionId: request.member?.sessionId ?? '' }
}
