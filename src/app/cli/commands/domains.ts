import { byOperator } from '#/base/audit/actor.ts'
import type { Db } from '#/base/db/schema.ts'
import { invalid } from '#/base/errors.ts'
import { sealingKey } from '#/base/secrets/seal.ts'
import { sealedAs } from '#/domains/dkim/make-keys.ts'
import { rotateKeys } from '#/domains/dkim/rotate.ts'
import type { Domain } from '#/domains/domain.ts'
import { suspendDomain } from '#/domains/enrol.ts'
import { allDomains, domainsMeant } from '#/domains/queries.ts'
import { present } from '#/domains/schemas.ts'
import { canonicalAddress, canonicalDomain } from '#/formats/mime/address/address.ts'
import { holderOf } from '#/mail/mailboxes/aliases.ts'
import { catchAlls, changeCatchAll } from '#/mail/mailboxes/catch-all.ts'
import { allOrganizations } from '#/people/organizations/queries.ts'
import { organizationOption } from '#/people/organizations/register.ts'
import { command, type Operator } from '../command.ts'
import { minute, table } from '../table.ts'
import { suspensionText } from './suspension-text.ts'

const org = { value: 'NAME', help: 'The organization, where several have enrolled the domain' } as const

export const domainCommands = [
  command({
    name: 'domain list',
    summary: 'List the domains that organizations have enrolled',
    operands: [],
    options: { org: { value: 'NAME', help: 'Those of one organization' } },
    run: async ({ database: { db }, config: { hostname } }, { org }) => {
      const only = await organizationOption(db, org)
      const caught = await catchAlls(db)
      const names = new Map((await allOrganizations(db)).map(({ id, name }) => [id, name]))
      const data = (await allDomains(db))
        .filter(({ organizationId }) => only === undefined || organizationId === only)
        .map((domain) => ({
          organization: names.get(domain.organizationId),
          ...present(domain, hostname),
          catch_all: caught.get(domain.id) ?? null,
        }))
      const headings = [
        'DOMAIN',
        'ORGANIZATION',
        'STATUS',
        'OUTSTANDING',
        'LAST CHECK',
        'NEXT CHECK',
        'CATCH-ALL',
        'ID',
      ]
      return { value: { data }, text: table(headings, data.map(row), 'No domains yet.') }
    },
  }),
  command({
    name: 'domain suspend',
    summary: 'Suspend a domain: it accepts no mail and no new mailboxes; existing mail can be read',
    operands: ['domain'],
    options: { org },
    run: async (operator, given) => suspension(operator, given, true),
  }),
  command({
    name: 'domain resume',
    summary: 'End the suspension of a domain',
    operands: ['domain'],
    options: { org },
    run: async (operator, given) => suspension(operator, given, false),
  }),
  command({
    name: 'domain catch-all',
    summary: 'Set the catch-all mailbox of a domain; ADDRESS off removes it',
    operands: ['domain', 'address'],
    options: { org },
    run: async ({ database: { db } }, given) => {
      const found = await domainGiven(db, given)
      const { organizationId, domain } = found
      if (given.address === 'off') {
        const was = await db.transaction().execute((tx) => changeCatchAll(tx, found, null, byOperator))
        const text = `Mail for addresses of ${domain} that nobody has ${was ? 'is refused now' : 'was refused before'}.`
        return { value: { domain, catch_all: null }, text }
      }
      const holder = await holderOf(db, organizationId, canonicalAddress(given.address) ?? '')
      if (!holder) throw invalid('address', `The organization of ${domain} has no mailbox "${given.address}"`)
      await db.transaction().execute((tx) => changeCatchAll(tx, found, holder, byOperator))
      const text = `${holder.mailbox} gets mail for addresses of ${domain} that nobody has.`
      return { value: { domain, catch_all: holder.mailbox }, text }
    },
  }),
  command({
    name: 'domain rotate-dkim',
    summary: 'Create new DKIM keys for a domain; the old ones sign until the new records are found',
    operands: ['domain'],
    options: { org },
    run: async (operator, given) => {
      const { database, config, time, keyring } = operator
      const { db } = database
      const before = await domainGiven(db, given)
      const key = sealingKey(await keyring(db), sealedAs)
      const firstCheckAfter = config.dnsFirstCheckSeconds * 1_000
      const after = await rotateKeys({ db, time, sealingKey: key, firstCheckAfter }, before, byOperator)
      const shown = present(after, config.hostname)
      const added = shown.dns.filter(({ purpose, last_checked_at: at }) => purpose === 'dkim' && at === null)
      const text = [
        `Created new keys for ${shown.domain}. Publish these records, and keep the old ones:`,
        ...added.map(({ type, name, value }) => `${name}  ${type}  ${value}`),
        'The old keys sign until the new records are found.',
      ]
      return { value: shown, text: text.join('\n') }
    },
  }),
]

async function suspension(operator: Operator, given: { domain: string; org: string | undefined }, suspended: boolean) {
  const { db } = operator.database
  const domain = await domainGiven(db, given)
  const after = await db.transaction().execute((tx) => suspendDomain(tx, domain, suspended, byOperator))
  if (after && !suspended) {
    const text = `${domain.domain} is suspended with its organization, until that is resumed.`
    return { value: present({ ...domain, suspended: after }, operator.config.hostname), text }
  }
  const text = suspensionText(domain.domain, domain.suspended, suspended)
  return { value: present({ ...domain, suspended }, operator.config.hostname), text }
}

async function domainGiven(
  db: Db,
  { domain: given, org }: { domain: string; org: string | undefined },
): Promise<Domain> {
  const only = await organizationOption(db, org)
  const meant = await domainsMeant(db, canonicalDomain(given) ?? given.toLowerCase())
  const [domain, ...others] = meant.filter(({ organizationId }) => only === undefined || organizationId === only)
  if (!domain) throw invalid('domain', `No domain "${given}"`, '`mailroom domain list` lists them')
  if (others.length > 0)
    throw invalid('domain', `${others.length + 1} organizations have enrolled ${domain.domain}`, 'Name one with --org')
  return domain
}

function row(
  domain: ReturnType<typeof present> & { organization: string | undefined; catch_all: string | null },
): string[] {
  const { status, suspended, last_checked_at: last, next_check_at: next } = domain
  const times = [last, next].map((at) => minute(at === null ? null : new Date(at)))
  return [
    domain.domain_unicode,
    domain.organization ?? '-',
    suspended ? `${status}, suspended` : status,
    String(domain.outstanding),
    ...times,
    domain.catch_all ?? '-',
    domain.id,
  ]
}
