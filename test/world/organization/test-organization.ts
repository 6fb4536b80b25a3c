import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { byOperator } from '#/base/audit/actor.ts'
import { scopes as allScopes, type Scope } from '#/http/access/scopes.ts'
import { addLabel } from '#/mail/labels/catalogue.ts'
import type { Label } from '#/mail/labels/label.ts'
import { createMailbox } from '#/mail/mailboxes/create.ts'
import { createKey, type NewKey } from '#/people/keys/keys.ts'
import { type Restrictions, unrestricted } from '#/people/keys/restrictions.ts'
import { addMember } from '#/people/members/members.ts'
import type { Answer, RequestOptions } from '#test/world/sockets/http-client.ts'
import type { World } from '#test/world/world.ts'

/** An organization of a world, with a key that may do everything. */
export class TestOrganization {
  readonly world: World
  readonly id: string
  readonly name: string
  readonly domain: string
  key = ''

  constructor(world: World, { id, name, domain }: { id: string; name: string; domain: string }) {
    this.world = world
    this.id = id
    this.name = name
    this.domain = domain
  }

  newKey(...scopes: readonly Scope[]): Promise<string> {
    return this.#key({ scopes })
  }

  /** A restricted key, by default with every scope. */
  restrictedKey(restrictions: Partial<Restrictions>, scopes: readonly Scope[] = allScopes): Promise<string> {
    return this.#key({ scopes, restrictions: { ...unrestricted, ...restrictions } })
  }

  async #key(fields: Pick<NewKey, 'scopes' | 'restrictions'>): Promise<string> {
    const { db, clock } = this.world
    return (await createKey(db, this.id, { name: 'test', expiresAt: null, ...fields }, clock.now(), byOperator)).secret
  }

  /** A request with the key that may do everything, or with another. */
  request(method: string, path: string, body?: unknown, options: RequestOptions = {}): Promise<Answer> {
    return this.world.client.request(method, path, { key: this.key, ...(body !== undefined && { body }), ...options })
  }

  /** The body of the answer, which must have that status. */
  async bodyOf(status: number, ...request: Parameters<TestOrganization['request']>): Promise<Answer['body']> {
    const answer = await this.request(...request)
    assert.equal(answer.status, status, answer.bytes.toString())
    return answer.body
  }

  async mailbox(localPart: string, options: { name?: string } = {}): Promise<{ id: string; address: string }> {
    return await this.world.db
      .transaction()
      .execute((tx) =>
        createMailbox(tx, { organizationId: this.id, domain: this.domain, localPart, ...options }, byOperator),
      )
  }

  /** A label of a new member's own, which only the web app can make. */
  async labelOfMember(name: string): Promise<Label> {
    const { id: memberId } = await this.member(`${randomUUID()}@people.example`)
    const owner = { organizationId: this.id, memberId }
    return await this.world.db.transaction().execute((tx) => addLabel(tx, owner, { name, colour: 'slate' }, byOperator))
  }

  member(email: string, role: 'owner' | 'admin' | 'member' = 'member'): Promise<{ id: string }> {
    return addMember(this.world.db, { organizationId: this.id, email, name: '', role }, byOperator)
  }
}
