import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'

const prefix = 'whsec_'

/** A secret in the form of Standard Webhooks: 32 random octets in Base64. */
export function newSecret(): string {
  return `${prefix}${randomBytes(32).toString('base64')}`
}

/** Something to be signed. */
export interface Signed {
  readonly id: string
  /** Seconds since 1970. */
  readonly timestamp: number
  readonly body: string
}

/** The key of a secret. A key object signs several times as fast as octets. */
export function signingKey(secret: string): KeyObject {
  return createSecretKey(secret.slice(prefix.length), 'base64')
}

/** The header fields of Standard Webhooks, with a signature by each of the keys. */
export function signatureHeaders(keys: readonly KeyObject[], { id, timestamp, body }: Signed): Record<string, string> {
  const content = `${id}.${timestamp}.${body}`
  const signatures = keys.map((key) => `v1,${createHmac('sha256', key).update(content).digest('base64')}`)
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signatures.join(' ') }
}
