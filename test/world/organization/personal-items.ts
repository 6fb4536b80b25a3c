import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type SignedInMember, signIn } from '#test/world/members/signed-in.ts'
import type { Furnished } from './furnished.ts'
import type { TestOrganization } from './test-organization.ts'

/** A filter that matches notes, but for its action. */
export const noteFilter = { name: 'Notes', field: 'subject', op: 'contains', value: 'note' } as const

/** Makes a label, a filter that sets it and a block of the member's own. */
export async function addPersonalItems(member: SignedInMember) {
  const made = async (path: string, body: object) => {
    const answer = await member.request('POST', path, body)
    assert.equal(answer.status, 201, `${path}: ${answer.bytes}`)
    return answer.body
  }
  const label = await made('/v1/me/labels', { name: 'Mine', colour: 'pink' })
  const filter = await made('/v1/me/filters', { ...noteFilter, action: 'label', argument: 'Mine' })
  const blocked = await made('/v1/me/blocked-senders', { pattern: '@pest.example' })
  return { keyword: label.keyword as string, ids: { label: label.id, filter: filter.id, blocked: blocked.id } }
}

/** The same organization, whose label, filter and block are the member's own. */
export async function withPersonalItems(member: SignedInMember, one: Furnished): Promise<Furnished> {
  const { keyword, ids } = await addPersonalItems(member)
  return { ...one, keyword, ids: { ...one.ids, ...ids } }
}

/** A member with a mailbox, a label, a filter, a run of it and a block of their own, made in a session. */
export async function withOwnThings(organization: TestOrganization, role: 'owner' | 'admin' | 'member' = 'member') {
  const mailbox = await organization.mailbox(`box-${randomUUID().slice(0, 8)}`)
  const { id } = await organization.member(mailbox.address, role)
  const member = await signIn(organization, id)
  const { keyword, ids } = await addPersonalItems(member)
  const run = await member.request('POST', '/v1/me/filters/runs', {})
  assert.equal(run.status, 201)
  return { member, mailbox, keyword, ids: { ...ids, run: run.body.id as string } }
}
