import type { TestOrganization } from '#test/world/organization/test-organization.ts'

export const forwardsTo = (to: string) => ({ forward_to: to, forward_enabled: true })

/** Sets how a mailbox forwards and answers, which must be taken, and answers how it does from then on. */
export function configure(organization: TestOrganization, mailbox: string, change: object) {
  return organization.bodyOf(200, 'PATCH', '/v1/forwarding', { mailbox, ...change })
}

let count = 0

/** A new mailbox that forwards or answers so. */
export async function mailboxThat(organization: TestOrganization, change: object, name = 'Ada Byron') {
  const mailbox = await organization.mailbox(`that${++count}`, { name })
  await configure(organization, mailbox.address, change)
  return mailbox
}
