import type { Db } from '#/base/db/schema.ts'
import { canonicalAddress } from '#/formats/mime/address/address.ts'
import type { Caller } from '#/http/access/caller.ts'
import { addressesOf, mailboxesAt } from '#/mail/mailboxes/operator-queries.ts'
import type { Key } from './key.ts'

/** A key for people: with the addresses of its mailboxes. */
export type ShownKey = Omit<Key, 'mailbox_ids'> & {
  /** The address of a deleted mailbox is null. */
  readonly mailboxes: readonly { readonly id: string; readonly address: string | null }[] | null
}

export async function shownKeys(db: Db, keys: readonly Key[]): Promise<ShownKey[]> {
  const addresses = await addressesOf(
    db,
    keys.flatMap(({ mailbox_ids }) => mailbox_ids ?? []),
  )
  return keys.map((key) => withAddresses(key, addresses))
}

export async function shownKey(db: Db, key: Key): Promise<ShownKey> {
  return withAddresses(key, await addressesOf(db, key.mailbox_ids ?? []))
}

function withAddresses({ mailbox_ids, ...key }: Key, addresses: ReadonlyMap<string, string>): ShownKey {
  return { ...key, mailboxes: mailbox_ids?.map((id) => ({ id, address: addresses.get(id) ?? null })) ?? null }
}

/** The ids of the mailboxes at these addresses, each once and in their order. Throws what `missing` makes of the first that has none; an
 *  alias has none. */
export async function mailboxIds(
  db: Db,
  caller: Caller,
  given: readonly string[],
  missing: (text: string, index: number) => Error,
): Promise<string[]> {
  const named = given.map((text) => canonicalAddress(text) ?? '')
  const found = await mailboxesAt(db, caller, named)
  const ids = new Map(found.map(({ id, address }) => [address, id]))
  return [
    ...new Set(
      named.map((address, index) => {
        const id = ids.get(address)
        if (id === undefined) throw missing(given[index] ?? '', index)
        return id
      }),
    ),
  ]
}
