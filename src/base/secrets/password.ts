import { type Argon2Parameters, argon2, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { invalid, Refusal } from '#/base/errors.ts'
import { FairShare, type Holder } from '#/base/event-loop/fair-share.ts'
import { codePoints } from '#/base/text/text.ts'
import { normalized } from '#/base/text/unicode.ts'

/** NIST SP 800-63B, section 3.1.1 demands no rules but length. */
const fewest = 12
const most = 256
/** Excludes passwords such as `aaaaaaaaaaaa`. */
const fewestDifferent = 5

/** A chosen password in NFC (RFC 8265, section 4.2): mail programs may send another normalization form. */
export function chosenPassword(given: string): string {
  if (isHashed(given))
    throw invalid(
      'password',
      'This is the hash of a password, not a password',
      'Give the password itself, or have one made',
    )
  const password = normalized(given, 'NFC')
  if (codePoints(password) < fewest) throw invalid('password', `password must be at least ${fewest} characters long`)
  if (codePoints(password) > most) throw invalid('password', `password can be at most ${most} characters long`)
  if (new Set(password).size < fewestDifferent) {
    throw invalid('password', `password must hold at least ${fewestDifferent} different characters`)
  }
  return password
}

/** `{BLF-CRYPT}` and other schemes, as Dovecot and mailcow export them, and what crypt(3) writes. */
const hashed = /^(?:\{[A-Za-z][\w.-]*\}|\$(?:argon2(?:id|i|d)|2[abxy]?|[1567]|y|gy|md5|sha1|scrypt|pbkdf2[\w-]*)\$)/

export function isHashed(given: string): boolean {
  return hashed.test(given)
}

/** The hash of a password from another program: argon2id in the form that `hashPassword` writes, which is the only one that is
 *  verified here. The most memory is that of Dovecot's own hashes. @throws Refusal */
export function importedHash(given: string): string {
  const [, scheme, hash = given] = /^\{([^}]*)\}(.*)$/.exec(given) ?? []
  const [, m, t, p] = PHC.exec(hash) ?? []
  const isArgon2 = scheme === undefined || /^argon2id$/i.test(scheme)
  if (isArgon2 && Number(m) <= mostMemoryKiB && Number(t) <= mostPasses && Number(p) === lanes) return hash
  throw invalid(
    'password',
    isArgon2
      ? `Only hashes of argon2id are taken over, with at most ${mostMemoryKiB} KiB, ${mostPasses} passes and one lane`
      : `Hashes of the scheme {${scheme}} cannot be verified here; those of {ARGON2ID} can`,
    'Give the password itself, or have one made and tell it to its user',
  )
}

const mostMemoryKiB = 64 * 1024
const mostPasses = 10

/** Without characters that are easily confused. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'

/** Four groups of random characters, to be typed. */
export function randomGroups(length: number): string {
  const group = () => Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
  return Array.from({ length: 4 }, group).join('-')
}

/** A generated password: 24 characters, 118 bits. */
export function newPassword(): string {
  return randomGroups(6)
}

/** OWASP's choice for argon2id (RFC 9106). One lane, since Dovecot verifies these hashes with no other number. */
const memoryKiB = 19 * 1024
const passes = 2
const lanes = 1

const derive = promisify<'argon2id', Argon2Parameters, Buffer>(argon2)

/** The hash as a PHC string. Runs off the event loop, in 56 ms of a slow core. @throws Refusal if too many wait */
export async function hashPassword(password: string, holder: Holder): Promise<string> {
  const nonce = randomBytes(16)
  const parameters = { message: password, nonce, parallelism: lanes, tagLength: 32, memory: memoryKiB, passes }
  const hash = await inTurn(holder, () => derive('argon2id', parameters))
  return `$argon2id$v=19$m=${memoryKiB},t=${passes},p=${lanes}$${base64(nonce)}$${base64(hash)}`
}

/** Verifies a password. Takes equally long without a hash, so that timing does not disclose accounts. @throws Refusal if too
 *  many wait */
export async function isPassword(password: string, hash: string | null, holder: Holder): Promise<boolean> {
  const [, m, t, p, salt = '', expected = ''] = PHC.exec(hash ?? absent) ?? []
  const parameters = {
    message: normalized(password, 'NFC'),
    nonce: Buffer.from(salt, 'base64'),
    ...{ memory: Number(m), passes: Number(t), parallelism: Number(p) },
    tagLength: Buffer.from(expected, 'base64').length,
  }
  const derived = await inTurn(holder, () => derive('argon2id', parameters))
  return timingSafeEqual(derived, Buffer.from(expected, 'base64')) && hash !== null
}

/** As `hashPassword` writes it. */
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/

/** Verified if there is no hash. */
const absent = `$argon2id$v=19$m=${memoryKiB},t=${passes},p=${lanes}$${base64(Buffer.alloc(16))}$${base64(Buffer.alloc(32))}`

/** One hash at a time: many at once would take too much memory, and all threads of libuv's pool, which files and other
 *  cryptography need. A client that guesses has 30 in an hour (throttle.ts), so one alone does not fill what may wait. */
export const hashing = new FairShare({ all: 1, waiting: 200, patience: 30_000 })

/** How long it takes until most of those of an organization are done, in seconds. */
const soon = 3

async function inTurn<T>(holder: Holder, work: () => Promise<T>): Promise<T> {
  using share = await hashing.enter(holder, 1)
  if (share) return await work()
  throw new Refusal('rate_limited', 'Too many passwords are being verified; try again shortly', { retryAfter: soon })
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}
