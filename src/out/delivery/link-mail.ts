import { canonicalAddress, splitAddress } from '#/formats/mime/address/address.ts'
import type { LinkMail } from '#/people/sessions/link-mail.ts'
import { type PostmasterDependencies, postmasterOf } from './postmaster.ts'

export interface LinkMailDependencies extends PostmasterDependencies {
  /** The origin under which members reach the service; undefined if not configured. */
  readonly publicUrl: string | undefined
  wake(): void
}

/** Mails sign-in links. There is no bounce, since it would carry the link to readers of postmaster's mail. For the same
 *  reason no link goes to a domain of the organization, where API keys and members of a shared mailbox would read it.
 *  Without a public URL only the request says where the service is, and nobody should follow such a link from a message.
 *  Above the day's allowance the inviter passes the link on. */
export function linkMail({ wake, publicUrl, ...deps }: LinkMailDependencies): LinkMail {
  return {
    wake,
    from: async (organizationId) => {
      const postmaster = publicUrl === undefined ? undefined : await postmasterOf(deps, organizationId)
      return async (tx, to, made) => {
        const domain = splitAddress(canonicalAddress(to.email) ?? '')?.domain
        if (!postmaster || domain === undefined || postmaster.domains.has(domain)) return false
        const { organization } = postmaster
        const paragraphs = [
          `You can sign in to the mail of ${organization} as ${to.email}:`,
          made.link,
          `The link works once, until ${made.expiresAt.toUTCString()}. Whoever has it signs in as you, so keep it to yourself.`,
          'If you did not expect this message, ignore it.',
        ]
        return await postmaster.send(tx, { to, subject: `Sign in to ${organization}`, paragraphs })
      }
    },
  }
}
