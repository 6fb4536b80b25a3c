import { randomUUID } from 'node:crypto'
import { byOperator } from '#/base/audit/actor.ts'
import { scopes } from '#/http/access/scopes.ts'
import { giveAccess } from '#/mail/mailboxes/access/access.ts'
import { type SignedInMember, signIn } from '#test/world/members/signed-in.ts'
import type { Furnished } from '#test/world/organization/furnished.ts'
import { withOwnThings } from '#test/world/organization/personal-items.ts'
import type { Answer, RequestOptions } from '#test/world/sockets/http-client.ts'
import type { World } from '#test/world/world.ts'
import { everyOperation, memberOperations } from './every-route.ts'
import { ownSamples } from './samples.ts'

type Ask = (path: string, body?: unknown, options?: RequestOptions) => Promise<Answer>

/** Every operation, with a caller who may do it, a key with every scope or a session of an owner, and with what it is about. Most have a
 *  caller of their own, since requests are counted for each. */
export async function everyCall(world: World, one: Furnished) {
  const { organization } = one
  const byKey = (await everyOperation(world)).map(async (operation) => {
    const key = await organization.newKey(...scopes)
    const ask: Ask = (path, body, options) => organization.request(operation.method, path, body, { key, ...options })
    return { ...operation, ask, about: one }
  })
  const owner = await withOwnThings(organization, 'owner')
  const own = { ...one, address: owner.mailbox.address, keyword: owner.keyword, ids: { ...one.ids, ...owner.ids } }
  const mailbox = {
    organizationId: organization.id,
    mailboxId: (await organization.request('GET', `/v1/mailboxes/${one.address}`)).body.id,
  }
  const byMember = (await memberOperations(world)).map(async (operation) => {
    if (operation.name in ownSamples) return { ...operation, ask: asking(owner.member, operation), about: own }
    const { id: memberId } = await organization.member(`${randomUUID()}@people.example`, 'owner')
    await world.db
      .transaction()
      .execute((tx) => giveAccess(tx, { mailbox, memberId, shares: 'all', by: byOperator }, 'send'))
    return { ...operation, ask: asking(await signIn(organization, memberId), operation), about: one }
  })
  return [...(await Promise.all(byKey)), ...(await Promise.all(byMember))]
}

function asking(member: SignedInMember, { method }: { readonly method: string }): Ask {
  return (path, body, options) => member.request(method, path, body, options)
}
