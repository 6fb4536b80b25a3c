import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { byOperator } from '#/base/audit/actor.ts'
import { giveAccess } from '#/mail/mailboxes/access/access.ts'
import { updateMessages } from '#/mail/store/update.ts'
import { createKey } from '#/people/keys/keys.ts'
import type { World } from '#test/world/world.ts'
import type { TestOrganization } from './test-organization.ts'

/** An organization with one of everything, as a target for requests. */
export type Furnished = Awaited<ReturnType<typeof furnish>>

export async function furnish(world: World) {
  const { organization, id: mailboxId, address } = await world.mailbox('ada')
  const created = async (path: string, body: object) => {
    const answer = await organization.request('POST', path, body)
    assert.ok([201, 202].includes(answer.status), `POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const idOf = async (path: string, body: object): Promise<string> => (await created(path, body)).id
  const data = async (path: string) => (await organization.request('GET', `${path}?mailbox=${address}`)).body.data[0]
  const random = () => randomUUID().slice(0, 8)
  const { id: label, keyword } = await created('/v1/labels', { name: 'Receipts' })
  const from = { name: 'f', field: 'from', op: 'is', value: 'a@b.example', action: 'star' }
  const attachments = [{ filename: 'a.txt', content: 'SGk=' }]
  const toBob = { mailbox: address, to: 'bob@nowhere.example' }
  const draftWithFile = await idOf('/v1/drafts', { mailbox: address, attachments })
  const approvable = await idOf('/v1/drafts', toBob)
  const failed = await idOf('/v1/scheduled', later(world, address))
  await world.db.updateTable('outbound_messages').set(failure).where('id', '=', failed).execute()
  const made = {
    label: label as string,
    filter: await idOf('/v1/filters', from),
    run: await idOf('/v1/filters/runs', { mailboxes: [address] }),
    blocked: await idOf('/v1/blocked-senders', { pattern: '@spam.example' }),
    domain: await idOf('/v1/domains', { domain: `spare-${randomUUID()}.test` }),
    draft: await idOf('/v1/drafts', { mailbox: address }),
    draftWithFile,
    approval: await idOf(`/v1/drafts/${approvable}/approval`, {}),
    otherApproval: await idOf(`/v1/drafts/${draftWithFile}/approval`, {}),
    finishedDraft: await idOf('/v1/drafts', toBob),
    scheduled: await idOf('/v1/scheduled', later(world, address)),
    failed,
    sent: await idOf('/v1/send', { from: address, to: 'bob@nowhere.example', text: 'Hello' }),
    suppressed: `gone-${random()}@nowhere.example`,
  }
  const bounced = { organization_id: organization.id, mailbox_id: mailboxId, address: made.suppressed, bounces: 2 }
  const because = { cause: 'bounced' as const, status: '5.1.1', reply: null }
  const times = { bounced_at: new Date(), suppressed_at: new Date() }
  await world.db
    .insertInto('suppressions')
    .values({ ...bounced, ...because, ...times })
    .execute()
  /** The address of a picture that the message names. */
  const picture = await world.picture()
  await world.send({
    ...{ from: 'charles@engines.example', to: address, subject: 'Notes', text: 'Attached.' },
    html: `<p>Attached.</p><img src="${picture}">`,
    attachments: [{ filename: 'note.txt', content: 'A note.' }],
  })
  const thread = await data('/v1/threads')
  const [uid] = thread.uids
  const message = await organization.request('GET', `/v1/messages/${uid}?mailbox=${address}`)
  const starred = { uids: [uid], starred: true }
  const { change_id } = (await organization.request('PATCH', `/v1/messages?mailbox=${address}`, starred)).body
  const orphan = `spare-${random()}`
  /** Keywords that no label has; a label can be made of each once. */
  const orphans = Array.from({ length: 20 }, () => `stray-${random()}`)
  const mailbox = { organizationId: organization.id, mailboxId }
  await updateMessages(world.db, mailbox, 'inbox', [uid], { addKeywords: [orphan, ...orphans] })
  const unused = { name: 'Unused', scopes: ['usage:read'], expiresAt: null } as const
  const { key } = await createKey(world.db, organization.id, unused, world.clock.now(), byOperator)
  const webhook = await idOf('/v1/webhooks', { url: 'https://receiver.example/mail' })
  // Its deliveries would change during a test.
  await organization.request('PATCH', `/v1/webhooks/${webhook}`, { paused: true })
  const folder = async (name: string): Promise<string> =>
    (await created(`/v1/folders?mailbox=${address}`, { name: `${name} ${randomUUID()}` })).name
  const ids = {
    ...made,
    folder: await folder('Projects'),
    emptyFolder: await folder('Empty'),
    trash: 'trash',
    otherLabel: await idOf('/v1/labels', { name: 'Bills' }),
    orphan,
    mailbox: address,
    message: String(uid),
    change: change_id as string,
    thread: thread.id as string,
    conversation: (await data('/v1/conversations')).id as string,
    attachment: message.body.attachments[0].id as string,
    apiKey: key.id,
    webhook,
    /** Of a member with whom the mailbox is shared. */
    member: await sharedWith(organization, mailboxId),
  }
  return { organization, address, ids, keyword: keyword as string, orphans, picture }
}

/** A new member who may read the mailbox. */
async function sharedWith(organization: TestOrganization, mailboxId: string): Promise<string> {
  const { id: memberId } = await organization.member('grace@people.example')
  const { id: organizationId, world } = organization
  const mailbox = { organizationId, mailboxId }
  await world.db
    .transaction()
    .execute((tx) => giveAccess(tx, { mailbox, memberId, shares: 'all', by: byOperator }, 'read'))
  return memberId
}

const failure = { state: 'failed', last_error: 'The relay refused', failed_at: new Date() } as const

/** The body of a message that is sent in an hour. */
export function later({ clock }: World, address: string) {
  const sendAt = new Date(clock.now() + 3_600_000).toISOString()
  return { from: address, to: 'bob@nowhere.example', text: 'Hello', send_at: sendAt }
}
