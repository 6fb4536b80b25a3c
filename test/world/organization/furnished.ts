import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { byOperator } from '#/audit/actor.ts'
import { createKey } from '#/keys/keys.ts'
import { updateMessages } from '#/mail/update.ts'
import { giveAccess } from '#/mailboxes/access/access.ts'
import type { World } from '#test/world/world.ts'
import type { TestOrganization } from './test-organization.ts'

/** An organization with one of everything, as a target for requests. */
export interface Furnished {
  readonly organization: TestOrganization
  readonly address: string
  readonly ids: {
    readonly label: string
    readonly otherLabel: string
    readonly orphan: string
    readonly mailbox: string
    readonly filter: string
    readonly run: string
    readonly blocked: string
    readonly message: string
    readonly change: string
    readonly folder: string
    readonly emptyFolder: string
    readonly trash: string
    readonly thread: string
    readonly conversation: string
    readonly attachment: string
    readonly domain: string
    readonly draft: string
    readonly draftWithFile: string
    readonly finishedDraft: string
    readonly approval: string
    readonly otherApproval: string
    readonly scheduled: string
    readonly failed: string
    readonly sent: string
    readonly suppressed: string
    readonly apiKey: string
    readonly webhook: string
    /** Of a member with whom the mailbox is shared. */
    readonly member: string
  }
  readonly keyword: string
  /** Keywords that no label has; a label can be made of each once. */
  readonly orphans: string[]
  /** The address of a picture that the message names. */
  readonly picture: string
}

export async function furnish(world: World): Promise<Furnished> {
  const { organization, id: mailboxId, address } = await world.mailbox('ada')
  const created = async (path: string, body: object) => {
    const answer = await organization.request('POST', path, body)
    assert.ok([201, 202].includes(answer.status), `POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const label = await created('/v1/labels', { name: 'Receipts' })
  const filter = await created('/v1/filters', {
    name: 'f',
    field: 'from',
    op: 'is',
    value: 'a@b.example',
    action: 'star',
  })
  const run = await created('/v1/filters/runs', { mailboxes: [address] })
  const blocked = await created('/v1/blocked-senders', { pattern: '@spam.example' })
  const domain = await created('/v1/domains', { domain: `spare-${randomUUID()}.test` })
  const attachments = [{ filename: 'a.txt', content: 'SGk=' }]
  const draft = await created('/v1/drafts', { mailbox: address })
  const draftWithFile = await created('/v1/drafts', { mailbox: address, attachments })
  const approvable = await created('/v1/drafts', { mailbox: address, to: 'bob@nowhere.example' })
  const approval = await created(`/v1/drafts/${approvable.id}/approval`, {})
  const otherApproval = await created(`/v1/drafts/${draftWithFile.id}/approval`, {})
  const finishedDraft = await created('/v1/drafts', { mailbox: address, to: 'bob@nowhere.example' })
  const scheduled = await created('/v1/scheduled', later(world, address))
  const failed = await created('/v1/scheduled', later(world, address))
  const sent = await created('/v1/send', { from: address, to: 'bob@nowhere.example', text: 'Hello' })
  const suppressed = `gone-${randomUUID().slice(0, 8)}@nowhere.example`
  await world.db
    .insertInto('suppressions')
    .values({
      ...{ organization_id: organization.id, mailbox_id: mailboxId, address: suppressed, cause: 'bounced', bounces: 2 },
      ...{ bounced_at: new Date(), suppressed_at: new Date(), status: '5.1.1', reply: null },
    })
    .execute()
  await world.db.updateTable('outbound_messages').set(failure).where('id', '=', failed.id).execute()
  const picture = await world.picture()
  await world.send({
    from: 'charles@engines.example',
    to: address,
    subject: 'Notes',
    text: 'Attached.',
    html: `<p>Attached.</p><img src="${picture}">`,
    attachments: [{ filename: 'note.txt', content: 'A note.' }],
  })
  const [thread] = (await organization.request('GET', `/v1/threads?mailbox=${address}`)).body.data
  const [conversation] = (await organization.request('GET', `/v1/conversations?mailbox=${address}`)).body.data
  const [uid] = thread.uids
  const message = await organization.request('GET', `/v1/messages/${uid}?mailbox=${address}`)
  const starred = { uids: [uid], starred: true }
  const { change_id } = (await organization.request('PATCH', `/v1/messages?mailbox=${address}`, starred)).body
  const orphan = `spare-${randomUUID().slice(0, 8)}`
  const orphans = Array.from({ length: 20 }, () => `stray-${randomUUID().slice(0, 8)}`)
  const bears = { organizationId: organization.id, mailboxId }
  await updateMessages(world.db, bears, 'inbox', [uid], { addKeywords: [orphan, ...orphans] })
  const unused = { name: 'Unused', scopes: ['usage:read'], expiresAt: null } as const
  const { key } = await createKey(world.db, organization.id, unused, world.clock.now(), byOperator)
  const webhook = await created('/v1/webhooks', { url: 'https://receiver.example/mail' })
  // Its deliveries would change during a test.
  await organization.request('PATCH', `/v1/webhooks/${webhook.id}`, { paused: true })
  const member = await sharedWith(organization, mailboxId)
  const folder = await created(`/v1/folders?mailbox=${address}`, { name: `Projects ${randomUUID()}` })
  const emptyFolder = await created(`/v1/folders?mailbox=${address}`, { name: `Empty ${randomUUID()}` })
  const ids = {
    folder: folder.name,
    emptyFolder: emptyFolder.name,
    trash: 'trash',
    label: label.id,
    otherLabel: (await created('/v1/labels', { name: 'Bills' })).id,
    orphan,
    mailbox: address,
    filter: filter.id,
    run: run.id,
    blocked: blocked.id,
    message: String(uid),
    change: change_id,
    thread: thread.id,
    conversation: conversation.id,
    attachment: message.body.attachments[0].id,
    domain: domain.id,
    draft: draft.id,
    draftWithFile: draftWithFile.id,
    finishedDraft: finishedDraft.id,
    approval: approval.id,
    otherApproval: otherApproval.id,
    scheduled: scheduled.id,
    failed: failed.id,
    sent: sent.id,
    suppressed,
    apiKey: key.id,
    webhook: webhook.id,
    member,
  }
  return { organization, address, ids, keyword: label.keyword, orphans, picture }
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
