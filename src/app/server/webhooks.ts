import type { Config } from '#/app/config/config.ts'
import { insideOf, isPublic } from '#/base/network/ip-address.ts'
import type { Resolver } from '#/base/network/resolver.ts'
import type { Keyring } from '#/base/secrets/keyring.ts'
import { sealingKey } from '#/base/secrets/seal.ts'
import type { WebhookDependencies } from '#/events/webhooks/dependencies.ts'
import type { AllowedBy } from '#/events/webhooks/webhook.ts'
import { PublicHttp } from '#/http/public-http/public-http.ts'

/** Posts to webhooks: by TLS to public addresses, with or without TLS to the networks that the operator allows. */
export function webhooksOn(
  { webhookNetworks: networks }: Config,
  { resolver, keyring }: { resolver: Resolver; keyring: Keyring },
): WebhookDependencies['webhooks'] & Disposable {
  const isAllowed = insideOf(networks)
  const allowed: AllowedBy = {
    'https:': (address) => isPublic(address) || isAllowed(address),
    ...(networks.length > 0 && { 'http:': isAllowed }),
  }
  const http = new PublicHttp({ resolver, allowed })
  const secretKey = sealingKey(keyring, 'webhooks')
  return { http, allowed, secretKey, [Symbol.dispose]: () => http[Symbol.dispose]() }
}
