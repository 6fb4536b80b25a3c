import type { Schema } from '#/base/db/schema.ts'

/** A column whose values are sealed. */
export interface SealedColumn {
  readonly table: keyof Schema
  readonly column: string
  /** The columns of the primary key. */
  readonly key: readonly string[]
  /** The rows with a sealed value, in SQL. Without it all rows have one, or null. */
  readonly where?: string
  /** Set if the column is a text. */
  readonly base64?: true
  /** The place of its values (see `seal`), in SQL over the row's columns. */
  readonly place: string
}

/**
 * All columns with sealed values, by purpose. A rotation reseals them. A missing purpose does not compile. A missing column fails
 * `rotate.test.ts`, which searches all columns of octets for marks of an old secret.
 */
export const sealedColumns = {
  dkim: [{ table: 'dkim_keys', column: 'private_key', key: ['id'], place: 'id::text' }],
  'kept answers': [
    {
      table: 'idempotency_keys',
      column: 'answer',
      key: ['organization_id', 'key'],
      place: `organization_id || ' ' || key`,
    },
  ],
  'mail out': [
    {
      ...{ table: 'outbound_pieces', column: 'bytes', key: ['message_id', 'number'] },
      place: `message_id || ' ' || number`,
    },
    { table: 'outbound_messages', column: 'fields', key: ['id'], place: `id || ' fields'` },
    { table: 'outbound_messages', column: 'source', key: ['id'], place: `id || ' source'` },
    { table: 'outbound_messages', column: 'verdict', key: ['id'], place: `id || ' verdict'` },
    {
      ...{ table: 'outbound_recipients', column: 'recipient', base64: true, key: ['id'] },
      where: 'message_id in (select id from outbound_messages where concealed)',
      place: `message_id || ' recipient'`,
    },
  ],
  'message-id hash': [{ table: 'installation', column: 'id_hash_key', key: ['one'], place: `'installation'` }],
  'second factor': [
    {
      ...{ table: 'member_totp', column: 'secret', key: ['organization_id', 'member_id'] },
      place: `organization_id || ' ' || member_id`,
    },
  ],
  'retired secret': [
    { table: 'retired_secrets', column: 'sealed', key: ['fingerprint'], place: `encode(fingerprint, 'hex')` },
  ],
  webhooks: [
    { table: 'webhooks', column: 'secret', key: ['id'], place: 'id::text' },
    { table: 'webhooks', column: 'previous_secret', key: ['id'], place: 'id::text' },
  ],
} as const satisfies Readonly<Record<string, readonly SealedColumn[]>>

export type SealedPurpose = keyof typeof sealedColumns
