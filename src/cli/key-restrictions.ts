import type { Db } from '#/db/schema.ts'
import { invalid } from '#/errors.ts'
import type { Key } from '#/keys/key.ts'
import { listIn, networksIn, type Restrictions, rateIn, recipientsIn } from '#/keys/restrictions.ts'
import { addressesOf, mailboxesAt } from '#/mailboxes/operator-queries.ts'
import { canonicalAddress } from '#/mime/address.ts'
import type { Organization } from '#/organizations/organization.ts'

/** What `key create` can restrict a key to. */
export const restrictionOptions = {
  mailboxes: { value: 'LIST', help: 'Mailboxes that it sees, by their addresses; no others exist for it' },
  recipients: { value: 'LIST', help: 'Whom it may write to: bob@example.com,@example.net' },
  networks: { value: 'LIST', help: 'Where it opens from: 192.0.2.0/24,2001:db8::/32. Elsewhere it is unknown' },
  rate: { value: 'N', help: 'Requests a minute, in place of 600' },
} as const

type Given = { readonly [Option in keyof typeof restrictionOptions]: string | undefined }

/** @throws Refusal */
export async function restrictionsGiven(db: Db, organization: Organization, given: Given): Promise<Restrictions> {
  const { mailboxes, recipients, networks, rate } = given
  return {
    recipients: recipients === undefined ? null : recipientsIn(recipients),
    networks: networks === undefined ? null : networksIn(networks),
    requests_per_minute: rate === undefined ? null : rateIn(rate),
    mailbox_ids: mailboxes === undefined ? null : await mailboxIds(db, organization, listIn('mailboxes', mailboxes)),
  }
}

async function mailboxIds(db: Db, { id, name }: Organization, given: readonly string[]): Promise<string[]> {
  const named = given.map((text) => ({ text, address: canonicalAddress(text) ?? '' }))
  const found = await mailboxesAt(
    db,
    id,
    named.map(({ address }) => address),
  )
  const missing = named.find(({ address }) => !found.some((mailbox) => mailbox.address === address))
  if (!missing) return found.map((mailbox) => mailbox.id)
  const fix = `\`mailroom mailbox list --org "${name}"\` shows those there are; an alias is none`
  throw invalid('mailboxes', `The organization "${name}" has no mailbox "${missing.text}"`, fix)
}

/** A key as commands show it. */
export type ShownKey = Omit<Key, 'mailbox_ids'> & {
  /** The address of one that is gone is null. */
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

/** What the key is restricted to, each as a name and a list. */
export function restrictionsShown({ mailboxes, recipients, networks, requests_per_minute }: ShownKey): string[] {
  return [
    ...(mailboxes ? [`mailboxes ${mailboxes.map(({ id, address }) => address ?? `${id} (deleted)`).join(',')}`] : []),
    ...(recipients ? [`recipients ${recipients.join(',')}`] : []),
    ...(networks ? [`networks ${networks.join(',')}`] : []),
    ...(requests_per_minute === null ? [] : [`${requests_per_minute} requests a minute`]),
  ]
}
