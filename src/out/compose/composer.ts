import type { SigningKeys } from '#/domains/dkim/signing-keys.ts'
import type { Composer } from '#/out/sending/composer.ts'
import { compose } from './compose.ts'
import { signed } from './sign.ts'

/** Composes and signs, outside any transaction: a large message takes a while. */
export function composerWith(signingKeys: SigningKeys): Composer {
  // Messages that are composed concurrently share one lookup of keys.
  const finding = new Map<string, ReturnType<SigningKeys>>()
  const keysOf = (organizationId: string, domain: string) => {
    const named = `${organizationId} ${domain}`
    const found = finding.get(named) ?? signingKeys(organizationId, domain).finally(() => finding.delete(named))
    finding.set(named, found)
    return found
  }
  return async ({ organizationId, domain, name, address }, outgoing, identity) => {
    const keys = await keysOf(organizationId, domain)
    return await signed(
      await compose({ ...outgoing, from: { name, address } }, identity),
      keys,
      identity.date,
      'composed',
    )
  }
}
