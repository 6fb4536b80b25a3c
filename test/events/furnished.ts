import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import type { World } from '#test/world/world.ts'
import { untilReadable } from './logged.ts'
import type { StreamedEvent } from './reader.ts'

/** An organization with a mailbox. */
export interface Furnished {
  readonly organization: TestOrganization
  readonly id: string
  readonly address: string
}

export async function furnished(world: World): Promise<Furnished> {
  const organization = await world.organization()
  return { organization, ...(await organization.mailbox('ada')) }
}

export const events = async ({ organization }: Pick<Furnished, 'organization'>, query = '', key = organization.key) =>
  await organization.request('GET', `/v1/events${query}`, undefined, { key })

/** Reads exactly so many events. On a server another transaction may delay them. */
export async function readEvents(
  one: Pick<Furnished, 'organization'>,
  count: number,
  query = '',
  key = one.organization.key,
) {
  const data: StreamedEvent['event'][] = []
  let next = /after=(\w+)/.exec(query)?.[1]
  const others = query.replace(/^\?|&?after=\w+/g, '')
  do {
    const path = `?${others}&wait=${data.length < count ? 50 : 0}${next ? `&after=${next}` : ''}`.replace('?&', '?')
    const { body } = await events(one, path, key)
    data.push(...body.data)
    next = body.next
  } while (data.length < count)
  assert.equal(data.length, count)
  return data
}

/** The end of the log, after all that has been committed. */
export async function now({ db }: Pick<World, 'db'>, one: Pick<Furnished, 'organization'>): Promise<string> {
  await untilReadable(db)
  return (await events(one, '?after=now')).body.next
}

export const label = ({ organization }: Pick<Furnished, 'organization'>, name: string = randomUUID().slice(0, 8)) =>
  organization.request('POST', '/v1/labels', { name })

export const patch = ({ organization }: Furnished, path: string, body: object) =>
  organization.request('PATCH', path, body)
export const remove = ({ organization }: Furnished, path: string) => organization.request('DELETE', path)
export const filter = ({ organization }: Furnished) =>
  organization.request('POST', '/v1/filters', {
    name: 'f',
    field: 'from',
    op: 'is',
    value: 'a@b.example',
    action: 'star',
  })
