import { properName } from '#/base/text/text.ts'
import { Id, Line, Nullable, Strict, Timestamp } from '#/http/schemas/shared-schemas.ts'
import { type Static, Type } from '#/http/schemas/type.ts'
import type { Passkey } from './queries.ts'

/** What browsers read and write (WebAuthn, section 5.1: `toJSON`, `parseCreationOptionsFromJSON`,
 *  `parseRequestOptionsFromJSON`), as far as we use it. Other fields are ignored, since browsers add some. */

/** Octets in base64url. */
function octets(most: number) {
  return Type.String({
    pattern: '^[A-Za-z0-9_-]+$',
    form: 'base64url without padding',
    maxLength: Math.ceil((most * 4) / 3),
  })
}

/** The longest id in WebAuthn. */
const CredentialId = octets(1_023)
const ClientData = octets(8_192)

export const Registration = Type.Object(
  {
    id: CredentialId,
    response: Type.Object({
      clientDataJSON: ClientData,
      attestationObject: octets(65_536),
      transports: Type.Optional(Type.Array(Line({ minLength: 1, maxLength: 32 }), { maxItems: 10 })),
    }),
  },
  {
    title: 'PasskeyCredential',
    description: 'The JSON of the credential that `navigator.credentials.create` has made (`toJSON`).',
    examples: [
      {
        id: 'QWxhZGRpbjpvcGVuIHNlc2FtZQ',
        response: { clientDataJSON: 'eyJ0eXBlIjoi', attestationObject: 'o2NmbXRkbm9uZQ', transports: ['internal'] },
      },
    ],
  },
)
export type Registration = Static<typeof Registration>

export const Assertion = Type.Object(
  {
    id: CredentialId,
    response: Type.Object({
      clientDataJSON: ClientData,
      authenticatorData: octets(8_192),
      signature: octets(8_192),
      userHandle: Type.Optional(octets(64)),
    }),
  },
  {
    title: 'PasskeyAssertion',
    description: 'The JSON of what `navigator.credentials.get` has answered (`toJSON`).',
  },
)
export type Assertion = Static<typeof Assertion>

const Descriptor = Type.Object({
  type: Type.Literal('public-key'),
  id: Type.String(),
  transports: Type.Array(Type.String()),
})

export const CreationOptions = Type.Object({
  options: Type.Object(
    {
      challenge: Type.String({ description: 'Works once, for 5 minutes, in this session.' }),
      rp: Type.Object({ id: Type.String({ examples: ['mail.example.com'] }), name: Type.String() }),
      user: Type.Object({ id: Type.String(), name: Type.String(), displayName: Type.String() }),
      pubKeyCredParams: Type.Array(Type.Object({ type: Type.Literal('public-key'), alg: Type.Integer() })),
      timeout: Type.Integer({ description: 'In milliseconds.', examples: [300_000] }),
      excludeCredentials: Type.Array(Descriptor),
      authenticatorSelection: Type.Object({
        residentKey: Type.Literal('required'),
        requireResidentKey: Type.Literal(true),
        userVerification: Type.Literal('required'),
      }),
      attestation: Type.Literal('none'),
    },
    { title: 'PasskeyCreation', description: 'For `PublicKeyCredential.parseCreationOptionsFromJSON`.' },
  ),
})

export const RequestOptions = Type.Object({
  options: Type.Object(
    {
      challenge: Type.String({ description: 'Works once, for 5 minutes.' }),
      rpId: Type.String({ examples: ['mail.example.com'] }),
      timeout: Type.Integer({ description: 'In milliseconds.', examples: [300_000] }),
      allowCredentials: Type.Array(Descriptor, { description: 'Empty at a sign-in: the browser shows those it has.' }),
      userVerification: Type.Literal('required'),
    },
    { title: 'PasskeyRequest', description: 'For `PublicKeyCredential.parseRequestOptionsFromJSON`.' },
  ),
})

const longestName = 64

const Name = Line({
  description: `1 to ${longestName} characters, for its member to know it by.`,
  examples: ['Work laptop'],
  rule: passkeyName,
})

/** Trimmed, in NFC. @throws Refusal */
export function passkeyName(given: string): string {
  return properName('name', given, longestName)
}

export const NewPasskey = Strict({ name: Name, credential: Registration })
export const PasskeyChange = Strict({ name: Name })

export const PasskeyOut = Type.Object(
  {
    id: Id,
    name: Type.String({ examples: ['Work laptop'] }),
    created_at: Timestamp,
    last_used_at: Nullable(Timestamp),
  },
  { title: 'Passkey' },
)

export function present({ created_at, last_used_at, ...passkey }: Passkey) {
  return {
    ...passkey,
    created_at: created_at.toISOString(),
    last_used_at: last_used_at?.toISOString() ?? null,
  }
}
