import { updateMessages } from '#/mail/store/update.ts'
import { recordBounces } from '#/out/suppressions/queries.ts'
import type { World } from '#test/world/world.ts'
import { Box } from './mailbox.ts'

export const roles = ['owner', 'admin', 'member'] as const
export type Role = (typeof roles)[number]

/** An organization that has something for each page. */
export interface Furnished {
  /** A mailbox that each of them sends from. */
  readonly desk: Box
  /** A member of each role, with a mailbox. */
  readonly members: ReadonlyMap<Role, Box>
  /** What stands for the parameters of routes. */
  readonly params: Readonly<Record<string, string>>
}

export async function furnished(world: World, { webhook = 'https://hooks.there.example/' } = {}): Promise<Furnished> {
  const organization = await world.organization()
  const desk = new Box({ organization, ...(await organization.mailbox('desk')), memberId: '' })
  const members = new Map<Role, Box>()
  for (const role of roles) {
    const mailbox = await organization.mailbox(role)
    const { id: memberId } = await organization.member(mailbox.address, role)
    members.set(role, new Box({ organization, ...mailbox, memberId }))
    await desk.share(memberId, 'send')
  }
  for (const name of ['Invoices', 'Receipts']) await desk.make('/v1/labels', { name })
  const rule = { field: 'subject', op: 'contains', value: 'engine', action: 'star' }
  await desk.make('/v1/filters', { name: 'Bills', ...rule })
  await desk.make('/v1/blocked-senders', { pattern: '@spam.example' })
  await desk.make('/v1/domains', { domain: `shop.${organization.domain}` })
  const send_at = new Date(world.clock.now() + 3_600_000).toISOString()
  const message = { from: desk.address, to: ['a@there.example'], text: 'At nine.', send_at }
  await desk.make('/v1/scheduled', { ...message, subject: 'Monday' })
  const draft = { mailbox: desk.address, to: 'a@there.example', subject: 'The price' }
  const key = await organization.newKey('sending:draft')
  const { id } = await desk.make('/v1/drafts', draft)
  const program = {
    request: (...of: Parameters<typeof organization.request>) => organization.request(of[0], of[1], of[2], { key }),
  }
  await desk.make(`/v1/drafts/${id}/approval`, {}, program)
  const made = await desk.make('/v1/webhooks', { url: webhook, types: ['label'] })
  const complaint = {
    ...({ organizationId: organization.id, mailboxId: desk.id, cause: 'complained', status: null } as const),
    ...{ address: 'gone@there.example', reply: null },
  }
  await world.db.transaction().execute((tx) => recordBounces(tx, [complaint]))
  await desk.receive({ subject: 'The moon', text: 'It is full.' })
  await desk.change({ starred: true, add_labels: ['invoices'] })
  const [{ uid = 0 } = {}] = await desk.states()
  const mailbox = { organizationId: organization.id, mailboxId: desk.id }
  await updateMessages(world.db, mailbox, 'inbox', [uid], { addKeywords: ['stray'] })
  const [{ ids }] = await desk.listed(`/v1/threads?mailbox=${desk.address}`)
  const params = { mailbox: desk.address, folder: 'inbox', message: ids[0], address: desk.address, id: made.id }
  return { desk, members, params }
}
