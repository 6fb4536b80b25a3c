import { byOperator } from '#/base/audit/actor.ts'
import { scopes } from '#/http/access/scopes.ts'
import { expiryAfter, keyName, keyStatus, scopesIn } from '#/people/keys/key.ts'
import { createKey, revokeKey } from '#/people/keys/keys.ts'
import { keysOf } from '#/people/keys/queries.ts'
import { type ShownKey, shownKey, shownKeys } from '#/people/keys/shown.ts'
import { organizationNamed } from '#/people/organizations/register.ts'
import { command } from '../command.ts'
import { minute, table } from '../table.ts'
import { restrictionOptions, restrictionsGiven, restrictionsShown } from './key-restrictions.ts'

const org = { value: 'NAME', help: 'The organization', required: true } as const

export const keyCommands = [
  command({
    name: 'key create',
    summary: 'Create an API key; it is shown only once',
    operands: [],
    options: {
      org,
      scopes: { value: 'LIST', help: `all, or some of ${scopes.join(',')}`, required: true },
      name: { value: 'TEXT', help: 'What the key is for' },
      expires: { value: 'TIME', help: 'How long it is valid: 30m, 12h or 90d; by default until it is revoked' },
      ...restrictionOptions,
    },
    run: async ({ database: { db }, clock }, given) => {
      const now = clock.now()
      const fields = {
        name: keyName(given.name ?? ''),
        scopes: scopesIn(given.scopes),
        expiresAt: given.expires === undefined ? null : expiryAfter(given.expires, now),
      }
      const organization = await organizationNamed(db, given.org)
      const restrictions = await restrictionsGiven(db, organization, given)
      const { key: made, secret } = await createKey(db, organization.id, { ...fields, restrictions }, now, byOperator)
      const key = await shownKey(db, made)
      return { value: { ...key, organization: organization.name, key: secret }, text: createdText(key, secret) }
    },
  }),
  command({
    name: 'key list',
    summary: "List an organization's keys; the keys themselves are not stored",
    operands: [],
    options: { org },
    run: async ({ database: { db }, clock }, given) => {
      const organization = await organizationNamed(db, given.org)
      const found = await shownKeys(db, await keysOf(db, organization.id))
      const keys = found.map((key) => ({ ...key, status: keyStatus(key, clock.now()) }))
      const headings = [
        'KEY',
        'NAME',
        'STATUS',
        'SCOPES',
        'RESTRICTED TO',
        'CREATED',
        'EXPIRES',
        'LAST USED',
        'REVOKED',
        'ID',
      ]
      return { value: { data: keys }, text: table(headings, keys.map(row), `"${organization.name}" has no keys yet.`) }
    },
  }),
  command({
    name: 'key revoke',
    summary: 'Revoke a key, within five seconds on every process',
    operands: ['id'],
    options: {},
    run: async ({ database: { db }, clock }, { id }) => {
      const { key: revoked, already } = await revokeKey(db, id, clock.now(), byOperator)
      const key = await shownKey(db, revoked)
      const text = already
        ? `The key ${shown(key)} was already revoked, at ${minute(key.revoked_at)} UTC.`
        : `Revoked the key ${shown(key)}. It stops working within five seconds.`
      return { value: { ...key, already_revoked: already }, text }
    },
  }),
]

function createdText(key: ShownKey, secret: string): string {
  return [
    secret,
    '',
    'Save it now: it is not stored and cannot be shown again.',
    `ID:       ${key.id}`,
    `Scopes:   ${scopesShown(key)}`,
    ...restrictionsShown(key).map((restriction) => `Only:     ${restriction}`),
    `Expires:  ${key.expires_at ? `${minute(key.expires_at)} UTC` : 'never'}`,
  ].join('\n')
}

function row(key: ShownKey & { status: string }): string[] {
  const { name, status, created_at, expires_at, last_used_at, revoked_at, id } = key
  const times = [created_at, expires_at, last_used_at, revoked_at].map(minute)
  return [shown(key), name || '-', status, scopesShown(key), restrictionsShown(key).join('; ') || '-', ...times, id]
}

function shown({ prefix, last_four }: ShownKey): string {
  return `${prefix}…${last_four}`
}

function scopesShown(key: ShownKey): string {
  return key.scopes.length === scopes.length ? 'all' : key.scopes.join(',')
}
