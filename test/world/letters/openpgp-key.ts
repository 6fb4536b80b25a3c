import { type Config, generateKey } from 'openpgp'

/** What `generateKey` may be told besides; its own types leave out what it can do. */
interface Wishes {
  readonly type?: 'curve25519' | 'curve448' | 'ecc' | 'rsa'
  readonly curve?: 'curve25519Legacy' | 'nistP256'
  readonly rsaBits?: number
  readonly date?: Date
  /** In seconds. */
  readonly keyExpirationTime?: number
  readonly subkeys?: readonly { type?: 'rsa'; rsaBits?: number; sign?: boolean; keyExpirationTime?: number }[]
  readonly config?: Config
}

/** A key pair as its owner has it, armored; the public part is what a Private mailbox gets. */
export async function openPgpKey(wishes: Wishes = {}): Promise<{ publicKey: string; privateKey: string }> {
  const userIDs = [{ name: 'Ada', email: 'ada@keys.example' }]
  const options = { type: 'curve25519', userIDs, ...wishes, format: 'armored' } as Parameters<typeof generateKey>[0]
  return (await generateKey(options)) as unknown as { publicKey: string; privateKey: string }
}
