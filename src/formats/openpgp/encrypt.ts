import { createMessage, encrypt, type Key } from 'openpgp'
import QuickLRU from 'quick-lru'
import { config, oneCertificate } from './certificate.ts'

/** Octets to encrypt, and the clear text before and after them. */
export interface Plain {
  readonly certificate: string
  /** The time at which the certificate is used. A certificate that has expired since is still safe. */
  readonly usableAt: Date
  readonly before: string
  readonly bytes: Uint8Array
  readonly after: string
}

/** The library gets the message in pieces of this size. */
const pieceBytes = 256 * 1024

/** Encrypts to an OpenPGP message (RFC 9580) in ASCII armor, with the clear text around it. Takes 2.4 times the message's
 *  memory, for ciphertext and result. */
export async function enclose({
  certificate,
  usableAt,
  before,
  bytes,
  after,
}: Plain): Promise<Uint8Array<ArrayBuffer>> {
  const ciphertext: Uint8Array[] = []
  const message = await createMessage({ binary: inPieces(bytes), date: new Date(0) })
  const encrypted = await encrypt({
    message,
    encryptionKeys: await known(certificate),
    date: usableAt,
    format: 'binary',
    config,
  })
  for await (const piece of encrypted as AsyncIterable<Uint8Array>) ciphertext.push(piece)
  return armored(before, ciphertext, after)
}

/** Copies each piece: the library accepts no shared memory. */
function inPieces(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(new Uint8Array(bytes.subarray(at, at + pieceBytes)))
      at += pieceBytes
    },
  })
}

const certificates = new QuickLRU<string, Key>({ maxSize: 100 })

/** Caches certificates that were used lately, with their verified signatures. */
async function known(text: string): Promise<Key> {
  const certificate = certificates.get(text) ?? (await oneCertificate(text))
  certificates.set(text, certificate)
  return certificate
}

/** Octets of ciphertext in a line of 64 characters. */
const lineBytes = 48
const begin = '-----BEGIN PGP MESSAGE-----\r\n\r\n'
const end = '-----END PGP MESSAGE-----\r\n'

/** Base64 in lines (RFC 9580, section 6). The library's armor takes twice the time and five times the memory. */
function armored(before: string, ciphertext: readonly Uint8Array[], after: string): Uint8Array<ArrayBuffer> {
  const length = ciphertext.reduce((sum, piece) => sum + piece.length, 0)
  const characters = Math.ceil(length / 3) * 4 + 2 * Math.ceil(length / lineBytes)
  const [head, tail] = [Buffer.from(before + begin), Buffer.from(checksumLine(ciphertext) + end + after)]
  const whole = Buffer.from(new ArrayBuffer(head.length + characters + tail.length))
  let at = head.copy(whole)
  for (const lines of wholeLines(ciphertext)) {
    const text = Buffer.from(lines.toString('base64'), 'latin1')
    for (let from = 0; from < text.length; from += 64) {
      at += text.copy(whole, at, from, from + 64)
      at += whole.write('\r\n', at, 'latin1')
    }
  }
  tail.copy(whole, at)
  return new Uint8Array(whole.buffer)
}

/** The same octets in pieces of whole lines. */
function* wholeLines(pieces: readonly Uint8Array[]): Generator<Buffer> {
  let left = Buffer.alloc(0)
  for (const piece of pieces) {
    const all = Buffer.concat([left, piece])
    const cut = all.length - (all.length % lineBytes)
    yield all.subarray(0, cut)
    left = all.subarray(cut)
  }
  if (left.length > 0) yield left
}

/** RFC 9580, section 6.1 forbids the checksum for new keys. For old keys GnuPG 2.2 needs it: without it, it reads the line after
 *  the last one as base64 unless that one ends in `=`. */
function checksumLine(ciphertext: readonly Uint8Array[]): string {
  // The packet's header is a piece of its own.
  if (sessionKeyVersion(Buffer.concat(ciphertext.slice(0, 2))) !== 3) return ''
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc24(ciphertext))
  return `=${checksum.subarray(1).toString('base64')}\r\n`
}

/** The version of a message's first packet (section 5.1): 3, or 6 for keys that support it. */
function sessionKeyVersion(message: Uint8Array): number | undefined {
  const length = message[1] ?? 0
  return message[length < 192 ? 2 : length < 224 ? 3 : 6]
}

const crcTable = Uint32Array.from({ length: 256 }, (_, octet) => {
  let crc = octet << 16
  for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (crc & 0x800000 ? 0x864cfb : 0)
  return crc & 0xffffff
})

/** RFC 9580, section 6.1.1. */
function crc24(pieces: readonly Uint8Array[]): number {
  let crc = 0xb704ce
  for (const piece of pieces) {
    for (const octet of piece) crc = ((crc << 8) ^ (crcTable[((crc >>> 16) ^ octet) & 0xff] ?? 0)) & 0xffffff
  }
  return crc
}
