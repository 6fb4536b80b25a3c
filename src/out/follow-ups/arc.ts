import { Readable } from 'node:stream'
import { arc, createSeal } from 'mailauth/lib/arc/index.js'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { inTurns } from '#/base/event-loop/pieces.ts'
import type { OpenKey } from '#/domains/dkim/signing-keys.ts'
import type { LookUp } from '#/formats/mime/authentication/dkim.ts'
import type { Message } from '#/formats/mime/message.ts'

/** mailauth reads a header octet by octet, and looks up a key for each seal. */
const largestHeader = 256 * 1024
const mostSeals = 50

/** Octets that are hashed at once, as measured in src/formats/mime/authentication/dkim.ts. */
const piece = 16 * 1024

export interface Sealing {
  /** The message as it arrived, for its chain. */
  readonly message: Message
  /** The octets to be sent. */
  readonly raw: Buffer
  /** The value of Authentication-Results: who checked the message, and the results. */
  readonly results: string
  readonly key: OpenKey
  readonly at: Date
}

/** The fields of a set. */
const setFields = ['arc-seal', 'arc-message-signature', 'arc-authentication-results']

/** The ARC set (RFC 8617) for a message that is passed on. It gives the next server our results. Empty if the message's
 *  chain cannot be continued; then the message is sent without, as by a server that does not know ARC. */
export async function arcSet({ message, raw, results, key, at }: Sealing, lookUp: LookUp): Promise<Buffer> {
  const sets = Math.max(...setFields.map((name) => message.headers.count(name)))
  if (sets >= mostSeals || headerLength(message.raw) > largestHeader) return Buffer.of()
  const cv = sets === 0 ? 'none' : await chainStatus(message.raw, lookUp)
  const { headers, errors } = await createSeal(Readable.from(inTurns(raw, piece)), {
    seal: {
      ...{
        signingDomain: key.domain,
        selector: key.selector,
        privateKey: String(key.privateKey.export({ format: 'pem', type: 'pkcs8' })),
      },
      // mailauth signs a field of one octet for each character.
      ...{
        algorithm: `${key.algorithm}-sha256`,
        authResults: Buffer.from(results).toString('latin1'),
        cv,
        signTime: at,
      },
    },
  })
  return headers.length === 0 || errors.length > 0 ? Buffer.of() : Buffer.from(`${headers.join('\r\n')}\r\n`, 'latin1')
}

/** The validation status of a message's chain. One that is incomplete fails (RFC 8617, section 5.2). After a seal that says so,
 *  mailauth adds no other. */
async function chainStatus(raw: Buffer, lookUp: LookUp): Promise<string> {
  const { arc: chain } = await dkimVerify(Readable.from(inTurns(raw, piece)), { resolver: lookUp, strict: true })
  if (!chain) return 'fail'
  const { status } = await arc(chain as Parameters<typeof arc>[0], { resolver: lookUp, strict: true })
  return status.result === 'pass' ? 'pass' : 'fail'
}

function headerLength(raw: Buffer): number {
  const end = raw.indexOf('\r\n\r\n')
  return end < 0 ? raw.length : end
}
