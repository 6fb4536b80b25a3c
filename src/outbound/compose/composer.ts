import type { SigningKeys } from '#/domains/dkim/signing-keys.ts'
import type { Composer } from '#/sending/composer.ts'
import { compose } from './compose.ts'
import { signed } from './sign.ts'

/** Composes and signs; outside any transaction, since for a large message that takes a while. */
export function composerWith(signingKeys: SigningKeys): Composer {
  return async ({ organizationId, domain, name, address }, outgoing, identity) => {
    const keys = await signingKeys(organizationId, domain)
    return await signed(await compose({ ...outgoing, from: { name, address } }, identity), keys, identity.date)
  }
}
