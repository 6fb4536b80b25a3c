import type { Db } from '#/base/db/schema.ts'
import { invalid } from '#/base/errors.ts'
import { Caller } from '#/http/access/caller.ts'
import { listIn, networksIn, type Restrictions, rateIn, recipientsIn } from '#/people/keys/restrictions.ts'
import { mailboxIds, type ShownKey } from '#/people/keys/shown.ts'
import type { Organization } from '#/people/organizations/organization.ts'

/** What `key create` can restrict a key to. */
export const restrictionOptions = {
  mailboxes: { value: 'LIST', help: 'Mailboxes that the key sees, by address; others do not exist for it' },
  recipients: { value: 'LIST', help: 'Addresses and domains that the key may send to: bob@example.com,@example.net' },
  networks: { value: 'LIST', help: 'Networks that the key works from: 192.0.2.0/24,2001:db8::/32' },
  rate: { value: 'N', help: 'Requests a minute, instead of 600' },
} as const

type Given = { readonly [Option in keyof typeof restrictionOptions]: string | undefined }

/** @throws Refusal */
export async function restrictionsGiven(db: Db, organization: Organization, given: Given): Promise<Restrictions> {
  const { mailboxes, recipients, networks, rate } = given
  return {
    recipients: recipients === undefined ? null : recipientsIn(recipients),
    networks: networks === undefined ? null : networksIn(networks),
    requests_per_minute: rate === undefined ? null : rateIn(rate),
    mailbox_ids: mailboxes === undefined ? null : await mailboxesGiven(db, organization, mailboxes),
  }
}

async function mailboxesGiven(db: Db, { id, name }: Organization, given: string): Promise<string[]> {
  return await mailboxIds(db, Caller.unrestricted(id), listIn('mailboxes', given), (text) => {
    const fix = `\`mailroom mailbox list --org "${name}"\` lists them; an alias does not count`
    return invalid('mailboxes', `The organization "${name}" has no mailbox "${text}"`, fix)
  })
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
