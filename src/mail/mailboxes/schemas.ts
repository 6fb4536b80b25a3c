import { invalid } from '#/base/errors.ts'
import { chosenPassword } from '#/base/secrets/password.ts'
import { canonicalDomain } from '#/formats/mime/address/address.ts'
import { Id, Line, OneOf, Strict, Timestamp } from '#/http/schemas/shared-schemas.ts'
import { Type } from '#/http/schemas/type.ts'
import { type Kind, kinds, type Mailbox, mailboxName, newLocalPart } from './mailbox.ts'
import type { DomainNamed } from './queries.ts'

const fields = {
  id: Id,
  address: Type.String({
    description: 'The address, which other requests take as `mailbox`.',
    examples: ['support@tryout.test'],
  }),
  local_part: Type.String({ examples: ['support'] }),
  domain: Type.String({ examples: ['tryout.test'] }),
  name: Type.String({ description: 'Empty if none was given.', examples: ['Support'] }),
  kind: OneOf(kinds, {
    description: 'Mail in a `private` mailbox is encrypted to its owner’s key and cannot be read through the API.',
  }),
  aliases: Type.Array(Type.String(), {
    description: 'Other addresses that reach it.',
    examples: [['abuse@tryout.test', 'postmaster@tryout.test']],
  }),
  suspended: Type.Boolean({ description: 'A suspended mailbox accepts and sends no mail. It can still be read.' }),
  storage_used_bytes: Type.Integer({ minimum: 0, examples: [104_857] }),
  created_at: Timestamp,
}

/** The mailbox in a path. The route checks its form: an invalid address is `not_found`. */
export const ByAddress = Type.Object({
  address: Type.String({
    description: 'The address of the mailbox, not an alias; in any case.',
    examples: ['support@tryout.test'],
  }),
})

export const MailboxOut = Type.Object(fields, { title: 'Mailbox' })

export const NewMailboxOut = Type.Object(
  {
    ...fields,
    password: Type.Optional(
      Type.String({
        description: 'Present only if the request gave none. It is shown once; only its hash is stored.',
        examples: ['hq7dkc-w2mzt9-3fvbxn-r8ygpe'],
      }),
    ),
  },
  { title: 'NewMailbox' },
)

/** The body of `POST /v1/mailboxes`. `requestedMailbox` checks what a schema cannot. */
export const MailboxRequest = Strict(
  {
    domain: Type.Optional(
      Line({ description: 'A verified domain of the organization; or else `domain_id`.', examples: ['tryout.test'] }),
    ),
    domain_id: Type.Optional(Id),
    local_part: Line({
      description:
        'Before the @: 1 to 64 lower-case letters a to z, digits, dots, hyphens and underscores, a letter or digit at ' +
        'either end, no two dots in a row, and none of the names that are reserved on every domain.',
      examples: ['ada.lovelace'],
      rule: newLocalPart,
    }),
    name: Type.Optional(Line({ description: 'Up to 128 characters.', examples: ['Ada Lovelace'], rule: mailboxName })),
    kind: Type.Optional(OneOf(kinds, { default: 'smart' })),
    public_key: Type.Optional(
      Type.String({
        format: 'text',
        description:
          'For a `private` mailbox: one OpenPGP certificate in ASCII armor, up to 65,536 characters, with an encryption ' +
          'key that is neither expired nor revoked. Never a secret key.',
        examples: ['-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n…\n-----END PGP PUBLIC KEY BLOCK-----'],
      }),
    ),
    password: Type.Optional(
      Line({
        description:
          'For mail programs: 12 to 256 characters, at least 5 of them different. Without it one is generated and shown once.',
        examples: ['correct horse battery staple'],
        rule: chosenPassword,
      }),
    ),
  },
  {
    rule: [assertKeyFits, assertOneDomain],
    examples: [{ domain: 'tryout.test', local_part: 'ada.lovelace', name: 'Ada Lovelace' }],
  },
)

interface Body {
  domain?: string
  domain_id?: string
  local_part: string
  name?: string
  kind?: Kind
  public_key?: string
  password?: string
}

/** The mailbox to create by a body. Does not check the domain and the certificate. @throws Refusal */
export function requestedMailbox(body: Body) {
  const { local_part, name = '', public_key, password } = body
  const requested = {
    localPart: newLocalPart(local_part),
    name: mailboxName(name),
    publicKey: public_key,
    password: password === undefined ? undefined : chosenPassword(password),
  }
  assertKeyFits(body)
  assertOneDomain(body)
  return { ...requested, domain: domainNamed(body) }
}

function assertKeyFits({ kind = 'smart', public_key }: Partial<Body>): void {
  if (kind === 'private' && public_key === undefined) {
    throw invalid('public_key', 'public_key is needed for a Private mailbox: mail is encrypted to it')
  }
  if (kind === 'smart' && public_key !== undefined) {
    throw invalid('public_key', 'public_key is for a Private mailbox only', 'Add "kind": "private", or leave it out')
  }
}

function assertOneDomain({ domain, domain_id }: Partial<Body>): void {
  if ((domain === undefined) === (domain_id === undefined)) throw invalid('domain', 'Give either domain or domain_id')
}

/** An impossible name counts as a domain that the organization does not have. */
function domainNamed({ domain, domain_id }: Pick<Body, 'domain' | 'domain_id'>): DomainNamed {
  if (domain !== undefined) return canonicalDomain(domain) ?? ''
  return { id: domain_id ?? '' }
}

export function present(mailbox: Mailbox, storageUsed: number) {
  const { created_at, ...rest } = mailbox
  return {
    ...rest,
    aliases: [...mailbox.aliases],
    storage_used_bytes: storageUsed,
    created_at: created_at.toISOString(),
  }
}
