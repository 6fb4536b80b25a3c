import { decodeStandard } from './tables.ts'

/** Charsets that switch between ASCII and another set of characters by octets of ASCII. */

const ESCAPE = 0x1b
const SHIFT_OUT = 0x0e
const SHIFT_IN = 0x0f
const TILDE = 0x7e
const LF = 0x0a
const CR = 0x0d

/** Whether escape sequences of ISO-2022-JP show the charset (RFC 1468; RFC 7103, section 7.6). */
export function switchesToJapanese(bytes: Buffer): boolean {
  return bytes.includes(ESCAPE) && TO_JAPANESE.some((sequence) => bytes.includes(sequence, 0, 'latin1'))
}

const TO_JAPANESE = ['\x1b$B', '\x1b$@', '\x1b(J', '\x1b(I']

/** ISO-2022-KR (RFC 1557), ISO-2022-CN (RFC 1922) and HZ (RFC 1843), which the Encoding Standard lacks, and ISO-2022-JP; undefined
 *  for any other charset. */
export function decodeSwitched(bytes: Buffer, label: string): string | undefined {
  if (/^(?:hz|hz-?gb-?2312|cp52936)$/.test(label)) return decodeStandard(hzToGbk(bytes), 'gbk')
  if (/^(?:cs)?iso-?2022-?kr$|^cp50225$/.test(label)) return decodeStandard(shiftedTo8Bit(bytes), 'euc-kr')
  if (/^(?:cs)?iso-?2022-?cn(?:-?ext)?$|^cp50227$/.test(label)) return decodeStandard(shiftedTo8Bit(bytes), 'gbk')
  return undefined
}

/** Two adjacent encoded words make a switch to ASCII and back, which is an error for the decoder. */
export function decodeJapanese(bytes: Buffer): string {
  const text = bytes.toString('latin1').replace(/\x1b\([BJ](?=\x1b)/g, '')
  return decodeStandard(Buffer.from(text, 'latin1'), 'iso-2022-jp')
}

/** Of ISO-2022-KR or CN: SO switches to characters of two octets, SI to ASCII; ESC $ ) C only says which. A line break switches
 *  back too. */
function shiftedTo8Bit(bytes: Buffer): Buffer {
  const out = Buffer.allocUnsafe(bytes.length)
  let length = 0
  let high = 0
  for (let at = 0; at < bytes.length; at++) {
    const octet = bytes[at] ?? 0
    if (octet === SHIFT_OUT) high = 0x80
    else if (octet === SHIFT_IN) high = 0
    else if (octet === ESCAPE && bytes[at + 1] === 0x24) at += 3
    else {
      if (octet === LF || octet === CR) high = 0
      out[length++] = octet > 0x20 && octet < 0x7f ? octet | high : octet
    }
  }
  return out.subarray(0, length)
}

/** `~{` switches to characters of two octets, `~}` to ASCII; `~~` is a tilde, and one before a line break joins the lines. */
function hzToGbk(bytes: Buffer): Buffer {
  const out = Buffer.allocUnsafe(bytes.length)
  let length = 0
  let double = false
  for (let at = 0; at < bytes.length; at++) {
    const octet = bytes[at] ?? 0
    const next = bytes[at + 1] ?? 0
    if (octet === TILDE && (next === 0x7b || next === 0x7d)) {
      double = next === 0x7b
      at++
    } else if (octet === TILDE && next === TILDE) out[length++] = bytes[at++] ?? 0
    else if (octet === TILDE && next === LF) at++
    else if (octet === TILDE && next === CR) at += 2
    else if (double && octet > 0x20 && octet < 0x7f && next > 0x20) {
      out[length++] = octet | 0x80
      out[length++] = next | 0x80
      at++
    } else {
      if (octet === LF) double = false
      out[length++] = octet
    }
  }
  return out.subarray(0, length)
}
