import type { Schema } from '#/db/schema.ts'

/** A column whose values are sealed. */
export interface SealedColumn {
  readonly table: keyof Schema
  readonly column: string
  /** The columns of the primary key. */
  readonly key: readonly string[]
  /** Which rows have a sealed value, in SQL; those without the condition all have one, or null. */
  readonly where?: string
  /** Set where the column is a text. */
  readonly base64?: true
  /** The place that its values are sealed for (`seal`), in SQL over the row's columns. */
  readonly place: string
}

/**
 * Every column of the database that holds sealed values, by the purpose that they are sealed for. A change of the secret
 * goes through these and seals them anew; a purpose that is not here does not pass the compiler, and a column that is not
 * here fails `rotate.test.ts`, which knows every column of octets and looks for marks of an old secret in the whole database.
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
      ...{ table: 'outbound_pieces', column: 'bytes', key: ['message_id', 'number'], where: 'sealed' },
      place: `message_id || ' ' || number`,
    },
    {
      ...{ table: 'outbound_messages', column: 'fields', key: ['id'], where: 'fields_sealed' },
      place: `id || ' fields'`,
    },
    { table: 'outbound_messages', column: 'source', key: ['id'], place: `id || ' source'` },
    { table: 'outbound_messages', column: 'verdict', key: ['id'], place: `id || ' verdict'` },
    {
      ...{ table: 'outbound_recipients', column: 'recipient', base64: true, key: ['id'] },
      where: 'message_id in (select id from outbound_messages where concealed)',
      place: `message_id || ' recipient'`,
    },
  ],
  'message-id hash': [{ table: 'installation', column: 'id_hash_key', key: ['one'], place: `'installation'` }],
  'retired secret': [
    { table: 'retired_secrets', column: 'sealed', key: ['fingerprint'], place: `encode(fingerprint, 'hex')` },
  ],
} as const satisfies Readonly<Record<string, readonly SealedColumn[]>>

export type SealedPurpose = keyof typeof sealedColumns
