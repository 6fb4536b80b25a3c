import type { Tx } from '#/base/db/schema.ts'
import type { By } from '#/base/event-log/append.ts'
import type { IdHashKey } from '#/formats/mime/id-hash.ts'
import { append } from './append.ts'
import type { Copy } from './copy-to-append.ts'
import { markOriginals } from './originals.ts'
import { withoutStored } from './own-copies.ts'

/** Stores copies and writes their events. Creates folders that lack, and marks the messages that a copy answers or forwards, in the name
 *  of `by`. @throws not_found if a mailbox is deleted; then `tx` must be rolled back */
export async function appendCopies(tx: Tx, key: IdHashKey, copies: readonly Copy[], by?: By): Promise<void> {
  await markOriginals(tx, key, copies, by)
  await append(tx, key, await withoutStored(tx, key, copies))
}
