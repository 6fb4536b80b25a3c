import { byOperator } from '#/base/audit/actor.ts'
import { hashPassword } from '#/base/secrets/password.ts'
import { createMailbox } from '#/mail/mailboxes/create.ts'
import type { MailboxRef } from '#/mail/store/mailbox-ref.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'
import { World, type WorldOptions } from '#test/world/world.ts'
import { ImapClient } from './client.ts'

/** Of every mailbox of `readingMailbox`. Its hash is made once, since that takes time. */
export const password = 'correct horse battery staple'
export const passwordHash = hashPassword(password, { organization: '', key: '' })

/** A mailbox that a mail program can read. */
export interface ReadingMailbox extends MailboxRef {
  readonly address: string
}

/** A service with IMAP for the tests of a file, and an organization with a mailbox in it.
 *
 *      const serving = await Serving.ofFile()
 *      await using client = await serving.signedIn()
 *      const { untagged } = await client.run('LIST "" *')
 */
export class Serving {
  readonly world: World
  readonly organization: TestOrganization
  readonly mailbox: ReadingMailbox
  #made = 0

  private constructor(organization: TestOrganization, mailbox: ReadingMailbox) {
    this.world = organization.world
    this.organization = organization
    this.mailbox = mailbox
  }

  static async ofFile(options: WorldOptions = {}): Promise<Serving> {
    const organization = await (await World.ofFile(options)).organization({ plan: 'self_hosted' })
    return new Serving(organization, await readingMailbox(organization, 'ada'))
  }

  get port(): number {
    return this.world.imap?.port ?? 0
  }

  newMailbox(): Promise<ReadingMailbox> {
    return readingMailbox(this.organization, `box${++this.#made}`)
  }

  /** A client that is signed in to the mailbox, or to another one. */
  async signedIn({ address }: Pick<ReadingMailbox, 'address'> = this.mailbox): Promise<ImapClient> {
    const client = await ImapClient.greeted(this.port)
    const { status, text } = await client.run(`LOGIN ${address} "${password}"`)
    if (status !== 'OK') throw new Error(`${status} ${text}`)
    return client
  }
}

/** Another mailbox with a password. */
export async function readingMailbox(
  { world: { db }, id: organizationId, domain }: TestOrganization,
  localPart: string,
): Promise<ReadingMailbox> {
  const hash = await passwordHash
  const { id, address } = await db
    .transaction()
    .execute((tx) => createMailbox(tx, { organizationId, domain, localPart, passwordHash: hash }, byOperator))
  return { organizationId, mailboxId: id, address }
}
