import { invalid } from '#/base/errors.ts'
import { Line, Strict } from '#/http/schemas/shared-schemas.ts'
import { Type } from '#/http/schemas/type.ts'
import { Assertion } from '../passkeys/schemas.ts'
import type { Given } from '../password/password.ts'

/** A password to try. Nobody has a longer one. */
const TriedPassword = Line({ maxLength: 1_024, examples: ['correct horse battery staple'] })

/** A code of six digits, or a recovery code. */
export const Code = Line({ maxLength: 64, examples: ['287082'] })

/** A link in a request. */
export const givenLink = {
  description: 'As `mailroom member add` and `mailroom member invite` print it; nothing else beside it.',
  examples: ['https://mail.example.com/sign-in#a4oWyrVRPrrJGFfg5yL8uO1SvGGJJKcUnQhZLpdUB2c'],
}

/** The body of `POST /v1/session`. */
export const SignIn = Strict(
  {
    link: Type.Optional(Line(givenLink)),
    email: Type.Optional(
      Line({ description: "The member's address, in any case; with `password`.", examples: ['ada@tryout.test'] }),
    ),
    password: Type.Optional(TriedPassword),
    code: Type.Optional(
      Line({ ...Code, description: 'A code of the second factor, or a recovery code, if the member has set one up.' }),
    ),
    passkey: Type.Optional(Assertion),
    organization: Type.Optional(
      Line({
        description:
          'The name or id of the organization, for a member who has a password in several. Without it, the one ' +
          'that they joined first.',
        examples: ['tryout'],
      }),
    ),
  },
  { rule: assertOneWay, examples: [{ email: 'ada@tryout.test', password: 'correct horse battery staple' }] },
)

interface Body {
  readonly link?: string
  readonly passkey?: Assertion
  readonly email?: string
  readonly password?: string
  readonly code?: string
  readonly organization?: string
}

/** How a body signs in. @throws Refusal */
export function waySigningIn(body: Body): { readonly link: string } | { readonly passkey: Assertion } | Given {
  const { link, passkey, email = '', password = '', code, organization } = body
  assertOneWay(body)
  if (passkey !== undefined) return { passkey }
  return link === undefined ? { email, password, code, organization } : { link }
}

function assertOneWay({ link, passkey, ...withPassword }: Body): void {
  const { email, password, code, organization } = withPassword
  const hasMore = [email, password, code, organization].some((one) => one !== undefined)
  if (passkey !== undefined && (link !== undefined || hasMore)) throw invalid('passkey', 'Give nothing beside passkey')
  if (passkey !== undefined) return
  if (link !== undefined) {
    if (!hasMore) return
    throw invalid('link', 'Give either link, or email and password')
  }
  if (email === undefined && password === undefined) throw invalid('link', 'Give link, passkey, or email and password')
  if (email === undefined) throw invalid('email', 'email is needed beside password')
  if (password === undefined) throw invalid('password', 'password is needed beside email')
}

/** The body of `POST /v1/session/confirm`. */
export const Confirmation = Strict(
  {
    password: Type.Optional(TriedPassword),
    code: Type.Optional(Code),
    passkey: Type.Optional(Assertion),
  },
  { rule: wayConfirming, examples: [{ password: 'correct horse battery staple' }] },
)

/** How a body confirms. @throws Refusal */
export function wayConfirming(body: Pick<Body, 'password' | 'code' | 'passkey'>) {
  const { password, code, passkey } = body
  if (passkey === undefined && password === undefined) throw invalid('password', 'Give password, or passkey')
  if (passkey === undefined) return { password: password ?? '', code }
  if (password === undefined && code === undefined) return { passkey }
  throw invalid('passkey', 'Give nothing beside passkey')
}
