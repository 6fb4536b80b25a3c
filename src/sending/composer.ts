import type { Outgoing } from './outgoing.ts'
import type { Sender } from './sender.ts'

/** Writes a message down as it is to go, signed with the keys of its sender's domain (src/outbound/compose/composer.ts). */
export type Composer = (
  sender: Sender & { readonly organizationId: string },
  outgoing: Outgoing,
  identity: { readonly messageId: string; readonly date: Date },
) => Promise<Buffer>
