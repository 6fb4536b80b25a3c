import { perMinute } from '#/http/access/authorize.ts'
import { isScope, scopes } from '#/http/access/scopes.ts'
import { Id, Line, Nullable, OneOf, Strict, Timestamp } from '#/http/schemas/shared-schemas.ts'
import { Type } from '#/http/schemas/type.ts'
import { keyName, keyStatus, keyStatuses } from './key.ts'
import { canonicalNetwork } from './networks.ts'
import { mostListed, recipientPattern } from './restrictions.ts'
import type { ShownKey } from './shown.ts'

const HeldMailbox = Type.Object({
  id: Id,
  address: Nullable(
    Type.String({ description: 'Null once the mailbox is deleted.', examples: ['support@tryout.test'] }),
  ),
})

const fields = {
  id: Id,
  name: Type.String({ description: 'Empty if none was given.', examples: ['Shop'] }),
  prefix: Type.String({ description: 'The first eight characters.', examples: ['mrk_k3Ld'] }),
  last_four: Type.String({ examples: ['9xQa'] }),
  status: OneOf(keyStatuses),
  scopes: Type.Array(OneOf(scopes)),
  mailboxes: Nullable(Type.Array(HeldMailbox, { description: 'The mailboxes that the key sees; null for all.' })),
  recipients: Nullable(
    Type.Array(Type.String(), {
      description: 'Addresses and domains that the key may send to; null for all.',
      examples: [['@example.net']],
    }),
  ),
  networks: Nullable(
    Type.Array(Type.String(), {
      description: 'Networks that the key works from; null for all.',
      examples: [['192.0.2.0/24']],
    }),
  ),
  requests_per_minute: Nullable(Type.Integer({ description: `Null stands for ${perMinute.quota}.`, examples: [60] })),
  created_at: Timestamp,
  expires_at: Nullable(Timestamp),
  last_used_at: Nullable(
    Type.String({ format: 'date-time', description: 'When the key was last used, to the minute; null for never.' }),
  ),
  revoked_at: Nullable(Timestamp),
}

export const KeyOut = Type.Object(fields, { title: 'ApiKey' })

export const NewKeyOut = Type.Object(
  {
    ...fields,
    key: Type.Optional(
      Type.String({
        description: 'The key itself. It is shown once; only its hash is stored.',
        examples: ['mrk_k3LdUo1v0pQ8sT2yZ5wX7aB9cE4fG6hJm09xQa'],
      }),
    ),
  },
  { title: 'NewApiKey' },
)

const list = { minItems: 1, maxItems: mostListed }

/** The body of `POST /v1/api-keys`. */
export const KeyRequest = Strict(
  {
    name: Type.Optional(Line({ description: 'Up to 64 characters.', examples: ['Shop'], rule: keyName })),
    scopes: Type.Array(OneOf(scopes), { minItems: 1, maxItems: mostListed, examples: [['messages:read']] }),
    expires_at: Type.Optional(
      Line({ description: 'RFC 3339 with an offset, at most 3,650 days ahead. Without it the key does not expire.' }),
    ),
    mailboxes: Type.Optional(
      Type.Array(Line(), {
        ...list,
        description: 'Addresses of mailboxes, not aliases: the key sees no others.',
        examples: [['support@tryout.test']],
      }),
    ),
    recipients: Type.Optional(
      Type.Array(Line({ rule: recipientPattern }), {
        ...list,
        description: 'Addresses, and `@domain` for all of a domain: the key sends to no others.',
        examples: [['bob@example.com', '@example.net']],
      }),
    ),
    networks: Type.Optional(
      Type.Array(Line({ rule: canonicalNetwork }), {
        ...list,
        description: 'IPv4 and IPv6 addresses and networks: to clients elsewhere the key is unknown.',
        examples: [['192.0.2.0/24', '2001:db8::/32']],
      }),
    ),
    requests_per_minute: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: perMinute.quota - 1,
        description: `How many requests the key may make in a minute, in place of ${perMinute.quota}.`,
      }),
    ),
  },
  { examples: [{ name: 'Shop', scopes: ['messages:read', 'sending:write'], mailboxes: ['support@tryout.test'] }] },
)

/** In the order of the vocabulary, each once. */
export function scopesListed(given: readonly string[]) {
  return scopes.filter((scope) => isScope(scope) && given.includes(scope))
}

export function present({ created_at, expires_at, last_used_at, revoked_at, ...key }: ShownKey, now: number) {
  return {
    ...{ id: key.id, name: key.name, prefix: key.prefix, last_four: key.last_four },
    status: keyStatus({ revoked_at, expires_at }, now),
    scopes: [...key.scopes],
    mailboxes: key.mailboxes && [...key.mailboxes],
    recipients: key.recipients && [...key.recipients],
    networks: key.networks && [...key.networks],
    requests_per_minute: key.requests_per_minute,
    created_at: created_at.toISOString(),
    expires_at: expires_at?.toISOString() ?? null,
    last_used_at: last_used_at?.toISOString() ?? null,
    revoked_at: revoked_at?.toISOString() ?? null,
  }
}
