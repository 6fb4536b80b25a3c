import { Keyring } from '#/base/secrets/keyring.ts'
import { sealingKey } from '#/base/secrets/seal.ts'
import { sealedAs } from '#/out/queue/sealed.ts'

/** The name of every service in a test, in its mail and its domains' records. */
export const hostname = 'mx.mailroom.test'

export const secret = 'a secret of at least thirty-two characters'

/** The keyring of every service in a test that does not change its secret. */
export const keyring = new Keyring(secret)

/** The key that seals queued mail. */
export const mailKey = sealingKey(keyring, sealedAs)
