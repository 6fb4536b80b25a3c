import type { Clock } from '#/base/clock/clock.ts'
import type { Db } from '#/base/db/schema.ts'
import type { SealingKey } from '#/base/secrets/seal.ts'
import { sessionEnded } from '#/http/access/authorize.ts'
import { changeOnce } from '#/http/answers/claimed-key.ts'
import type { App } from '#/http/app-type.ts'
import { Strict } from '#/http/schemas/shared-schemas.ts'
import { Type } from '#/http/schemas/type.ts'
import { forConfirmedMembers, memberOf } from '../for-members.ts'
import { meOf } from '../me.ts'
import { assertPasswords } from '../password/passwords-off.ts'
import { Code } from '../sign-in/body.ts'
import { beginTotp, confirmTotp, removeTotp } from './second-factor.ts'

export interface TotpRouteDependencies {
  readonly db: Db
  readonly totpKey: SealingKey
  readonly clock: Clock
  /** Whether members may have passwords. Only with passwords there is a second factor. */
  readonly passwords: boolean
}

const changing = { ...forConfirmedMembers, config: { ...forConfirmedMembers.config, repeatable: false } } as const

/** A member sets up a second factor, and removes it. */
export function totpRoutes(app: App, { db, totpKey, clock, passwords }: TotpRouteDependencies): void {
  app.post(
    '/v1/me/totp',
    {
      ...changing,
      schema: {
        summary: 'Begin to set up a second factor',
        operationId: 'beginTotp',
        description:
          'Makes the secret of time-based codes (RFC 6238: SHA-1, six digits, 30 seconds). It is shown once, for ' +
          'an authenticator application, and has no effect until `POST /v1/me/totp/confirm` gets a code of it. A ' +
          'secret that was not confirmed is replaced.',
        response: {
          200: Type.Object({
            secret: Type.String({
              description: 'The secret in base32.',
              examples: ['GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'],
            }),
            uri: Type.String({
              description: 'The same with all parameters, for a QR code.',
              examples: [
                'otpauth://totp/Mailroom%20(tryout):ada%40tryout.test?issuer=Mailroom%20(tryout)&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&algorithm=SHA1&digits=6&period=30',
              ],
            }),
          }),
        },
      },
    },
    async (request, reply) => {
      assertPasswords(passwords)
      const member = memberOf(request)
      const me = await meOf(db, member)
      if (!me) throw sessionEnded(reply)
      return await beginTotp({ db, totpKey }, member, { email: me.email, organization: me.organization.name })
    },
  )

  app.post(
    '/v1/me/totp/confirm',
    {
      ...changing,
      schema: {
        summary: 'Put a second factor in effect',
        operationId: 'confirmTotp',
        description:
          'Takes a code of the new secret. From then on a sign-in with the password needs a code. The recovery ' +
          'codes are shown once; each can be used once in place of a code.',
        body: Strict({ code: Code }),
        response: {
          200: Type.Object({
            has_totp: Type.Literal(true),
            recovery_codes: Type.Array(Type.String(), { examples: [['hq7d-cw2m-zt9f-vbxn']] }),
          }),
        },
      },
    },
    async (request) => {
      assertPasswords(passwords)
      const given = { code: request.body.code, by: request.actor, now: new Date(clock.now()) }
      const codes = await confirmTotp({ db, totpKey }, memberOf(request), given)
      return { has_totp: true as const, recovery_codes: codes }
    },
  )

  app.delete(
    '/v1/me/totp',
    {
      ...forConfirmedMembers,
      schema: {
        summary: 'Remove your second factor',
        operationId: 'removeTotp',
        description: 'Removes the second factor and its recovery codes.',
        response: { 200: Type.Object({ has_totp: Type.Literal(false) }) },
      },
    },
    async (request) => {
      return await changeOnce(db, request, async (tx) => {
        await removeTotp(tx, memberOf(request), request.actor)
        return { has_totp: false as const }
      })
    },
  )
}
