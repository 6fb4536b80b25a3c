import type { Config } from '#/config/config.ts'
import { insideOf, isPublic } from '#/ip-address.ts'
import type { Resolver } from '#/ports/resolver.ts'
import { PublicHttp } from '#/public-http/public-http.ts'
import type { Keyring } from '#/secrets/keyring.ts'
import { sealingKey } from '#/secrets/seal.ts'
import type { WebhookParts } from '#/webhooks/parts.ts'
import type { AllowedBy } from '#/webhooks/webhook.ts'

/** Posts to webhooks: by TLS to public addresses, with or without TLS to the networks that the operator allows. */
export function webhooksOn(
  { webhookNetworks: networks }: Config,
  { resolver, keyring }: { resolver: Resolver; keyring: Keyring },
): WebhookParts['webhooks'] & Disposable {
  const isAllowed = insideOf(networks)
  const allowed: AllowedBy = {
    'https:': (address) => isPublic(address) || isAllowed(address),
    ...(networks.length > 0 && { 'http:': isAllowed }),
  }
  const http = new PublicHttp({ resolver, allowed })
  const secretKey = sealingKey(keyring, 'webhooks')
  return { http, allowed, secretKey, [Symbol.dispose]: () => http[Symbol.dispose]() }
}
