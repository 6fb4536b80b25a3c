import type { Outgoing } from './outgoing.ts'
import type { Sender } from './sender.ts'

/** Composes a message and signs it with the keys of its sender's domain (src/out/compose/composer.ts). */
export type Composer = (
  sender: Sender & { readonly organizationId: string },
  outgoing: Outgoing,
  identity: { readonly messageId: string; readonly date: Date },
) => Promise<Buffer>
