import { idHashOctets, type Keyring } from '#/base/secrets/keyring.ts'

/** The two halves of a SipHash key, as four 32-bit words, lowest first. */
export type IdHashKey = Uint32Array

/** The key for hashes of message ids. An installation never changes it: all stored hashes and ids of conversations depend on it.
 *  Since it is secret, nobody can send mail with colliding ids. */
export function idHashKey(from: string | Uint8Array | Keyring): IdHashKey {
  const octets = typeof from === 'string' || from instanceof Uint8Array ? idHashOctets(from) : from.idHashOctets
  return Uint32Array.from([0, 4, 8, 12], (at) => octets.readUInt32LE(at))
}

/** 64-bit SipHash-2-4 (Aumasson and Bernstein, 2012) of the text's UTF-8 bytes, in SipHash's byte order. An id whose left
 *  side is quoted hashes as it does without the quotes, which are no part of it (RFC 5322, section 3.2.4) and which Gmail
 *  leaves out when it replies to it. SipHash takes little time, since a folder read over IMAP has several ids for each
 *  message (docs/reference/threads.md). */
export function idHash(key: IdHashKey, text: string): Buffer {
  return idHashes(key, [text])
}

/** The hashes of several ids, 8 bytes each, in order. */
export function idHashes(key: IdHashKey, texts: readonly string[]): Buffer {
  return Buffer.from(idHashWords(key, texts).buffer)
}

/** Like `idHash`, for an ASCII id without quotes in bytes `start` to `end`. Writes two words to `out`. */
export function writeIdHash(key: IdHashKey, id: Buffer, start: number, end: number, out: Int32Array, at: number): void {
  // 64-bit words as a high and a low half: BigInt is twenty times slower. Carries are computed without a branch, which would be
  // taken at random and double the time.
  const [k0 = 0, k1 = 0, k2 = 0, k3 = 0] = key
  let ah = k1 ^ 0x736f6d65
  let al = k0 ^ 0x70736575
  let bh = k3 ^ 0x646f7261
  let bl = k2 ^ 0x6e646f6d
  let ch = k1 ^ 0x6c796765
  let cl = k0 ^ 0x6e657261
  let dh = k3 ^ 0x74656462
  let dl = k2 ^ 0x79746573
  const length = end - start
  const last = end - (length & 7)
  for (let word = start; word <= last + 8; word += 8) {
    let wordLow = 0
    let wordHigh = 0
    let rounds = 2
    if (word < last) {
      wordLow = wordAt(id, word)
      wordHigh = wordAt(id, word + 4)
    } else if (word === last) {
      wordLow = restAt(id, word, end)
      wordHigh = restAt(id, word + 4, end) | (length << 24)
    } else {
      // One step past the end is the finalization.
      cl ^= 0xff
      rounds = 4
    }
    dh ^= wordHigh
    dl ^= wordLow
    for (; rounds > 0; rounds--) {
      al = (al + bl) | 0
      ah = (ah + bh + Number(al >>> 0 < bl >>> 0)) | 0
      let high = bh
      bh = ((bh << 13) | (bl >>> 19)) ^ ah
      bl = ((bl << 13) | (high >>> 19)) ^ al
      high = ah
      ah = al
      al = high

      cl = (cl + dl) | 0
      ch = (ch + dh + Number(cl >>> 0 < dl >>> 0)) | 0
      high = dh
      dh = ((dh << 16) | (dl >>> 16)) ^ ch
      dl = ((dl << 16) | (high >>> 16)) ^ cl

      al = (al + dl) | 0
      ah = (ah + dh + Number(al >>> 0 < dl >>> 0)) | 0
      high = dh
      dh = ((dh << 21) | (dl >>> 11)) ^ ah
      dl = ((dl << 21) | (high >>> 11)) ^ al

      cl = (cl + bl) | 0
      ch = (ch + bh + Number(cl >>> 0 < bl >>> 0)) | 0
      high = bh
      bh = ((bh << 17) | (bl >>> 15)) ^ ch
      bl = ((bl << 17) | (high >>> 15)) ^ cl
      high = ch
      ch = cl
      cl = high
    }
    ah ^= wordHigh
    al ^= wordLow
  }
  out[at] = al ^ bl ^ cl ^ dl
  out[at + 1] = ah ^ bh ^ ch ^ dh
}

/** Four bytes, little-endian. */
function wordAt(bytes: Buffer, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  )
}

/** As `wordAt`, with zeros from the end on. */
function restAt(bytes: Buffer, at: number, end: number): number {
  let word = 0
  for (let index = at; index < end && index < at + 4; index++) word |= (bytes[index] as number) << (8 * (index - at))
  return word
}

/** The hashes of several ids as words. */
function idHashWords(key: IdHashKey, texts: readonly string[]): Int32Array<ArrayBuffer> {
  const hashes = new Int32Array(2 * texts.length)
  for (const [index, text] of texts.entries()) {
    const length = encode(text.charCodeAt(1) === 0x22 ? unquoted(text) : text)
    writeIdHash(key, bytes, 0, length, hashes, 2 * index)
  }
  return hashes
}

function unquoted(id: string): string {
  return id.replace(/^<"((?:[^"\\]|\\.)*)"@/, (_, left: string) => `<${left.replace(/\\(.)/g, '$1')}@`)
}

/** The text being hashed. */
let bytes = Buffer.allocUnsafeSlow(1024)

/** Writes the text's UTF-8 to `bytes` and answers its length. Ids are nearly always ASCII and short: a call out of
 *  JavaScript would cost as much as the hash. */
function encode(text: string): number {
  // A UTF-16 code unit takes at most three bytes of UTF-8.
  if (3 * text.length > bytes.length) bytes = Buffer.allocUnsafeSlow(3 * text.length)
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit > 0x7f) return bytes.write(text, 'utf8')
    bytes[index] = unit
  }
  return text.length
}
