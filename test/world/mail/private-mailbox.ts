import { decrypt, readMessage, readPrivateKey } from 'openpgp'
import { listMessages } from '#/mail/store/list.ts'
import { readStored } from '#/mail/store/read.ts'
import { openPgpKey } from '#test/world/letters/openpgp-key.ts'
import type { TestOrganization } from '#test/world/organization/test-organization.ts'

export interface PrivateMailbox {
  readonly id: string
  readonly address: string
  /** Armored; the service has never seen it. */
  readonly privateKey: string
}

export async function privateMailbox(organization: TestOrganization, localPart: string): Promise<PrivateMailbox> {
  const { publicKey, privateKey } = await openPgpKey()
  return { ...(await privateMailboxFor(organization, localPart, publicKey)), privateKey }
}

/** Creates one over HTTP, for a given certificate. */
export async function privateMailboxFor(organization: TestOrganization, localPart: string, publicKey: string) {
  const wanted = { domain: organization.domain, local_part: localPart, kind: 'private', public_key: publicKey }
  const body = await organization.bodyOf(201, 'POST', '/v1/mailboxes', wanted)
  return body as { id: string; address: string }
}

/** The messages of a folder as the mail host keeps them, oldest first. */
export async function storedIn(
  { world, id }: TestOrganization,
  mailboxId: string,
  folder = 'inbox',
): Promise<Buffer[]> {
  const mailbox = { organizationId: id, mailboxId }
  const { messages } = await listMessages(world.db, mailbox, folder, { limit: 100, page: 0 })
  const uids = messages.map(({ uid }) => uid).sort((a, b) => a - b)
  return await Promise.all(
    uids.map(async (uid) => {
      const stored = await readStored(world.db, mailbox, folder, uid)
      return Buffer.concat(stored ? await Array.fromAsync(stored.pieces()) : [])
    }),
  )
}

/** The message, decrypted with the owner's key. */
export async function opened(raw: Buffer, privateKey: string): Promise<Buffer> {
  const armoredMessage = /-----BEGIN PGP MESSAGE[\s\S]*END PGP MESSAGE-----/.exec(raw.toString('latin1'))?.[0] ?? ''
  const message = await readMessage({ armoredMessage })
  const decryptionKeys = await readPrivateKey({ armoredKey: privateKey })
  const { data } = await decrypt({ message, decryptionKeys, format: 'binary' })
  return Buffer.from(data as Uint8Array)
}
