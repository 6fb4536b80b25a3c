import { randomUUID } from 'node:crypto'
import { byOperator } from '#/audit/actor.ts'
import { blockSender } from '#/blocked-senders/block.ts'
import { addFilter } from '#/filters/changes.ts'
import { addLabel } from '#/labels/catalogue.ts'
import { oneFilter } from '#test/world/routes/samples.ts'
import type { World } from '#test/world/world.ts'
import type { TestOrganization } from './test-organization.ts'

/** A member's own label, filter and block, which no key may see. */
export async function insertPersonalItems(world: World, organization: TestOrganization) {
  const member = await organization.member(`member-${randomUUID()}@people.example`)
  const owner = { organizationId: organization.id, memberId: member.id }
  return await world.db.transaction().execute(async (tx) => {
    const label = await addLabel(tx, owner, { name: 'Mine', colour: 'slate' }, byOperator)
    const filter = await addFilter(
      tx,
      owner,
      { ...oneFilter, argument: null, position: undefined, enabled: true },
      byOperator,
    )
    const { blocked } = await blockSender(tx, owner, 'mine@spam.example', byOperator)
    return { member, label: label.id, filter: filter.id, blocked: blocked.id }
  })
}
