import { Rejection } from './reply.ts'

export interface MailFrom {
  /** As given, without angle brackets; empty for the null sender. */
  readonly sender: string
  /** As declared by SIZE (RFC 1870), or 0. */
  readonly size: number
  /** SMTPUTF8 (RFC 6531). */
  readonly utf8: boolean
}

/** `mail FROM:<a@b>` → `['MAIL', 'FROM:<a@b>']`. */
export function splitCommand(line: string): [verb: string, argument: string] {
  const space = line.indexOf(' ')
  return space < 0 ? [line.toUpperCase(), ''] : [line.slice(0, space).toUpperCase(), line.slice(space + 1).trim()]
}

/** Parses the argument of MAIL (RFC 5321, section 4.1.1.2). `auth` allows the parameter AUTH (RFC 4954, section 5), which is
 *  ignored. Throws `Rejection`. */
export function parseMailFrom(argument: string, { auth = false } = {}): MailFrom {
  const { address, parameters } = parsePath(argument, 'FROM', '5.1.7')
  let size = 0
  let utf8 = false
  for (const [name, value] of parameters) {
    if (name === 'SIZE' && /^\d{1,20}$/.test(value)) size = Number(value)
    else if (name === 'BODY' && /^(7BIT|8BITMIME)$/i.test(value)) continue
    else if (name === 'SMTPUTF8' && value === '') utf8 = true
    else if (name === 'AUTH' && auth && value !== '') continue
    else if (name === 'SIZE' || name === 'BODY' || name === 'SMTPUTF8') throw badParameter(501, name)
    else throw badParameter(555, name)
  }
  refuseUtf8Unless(utf8, address)
  return { sender: address, size, utf8 }
}

/** Parses the argument of RCPT (RFC 5321, section 4.1.1.3): an address, or `postmaster`. Throws `Rejection`. */
export function parseRcptTo(argument: string, utf8: boolean): string {
  const { address, parameters } = parsePath(argument, 'TO', '5.1.3')
  for (const [name] of parameters) throw badParameter(555, name)
  if (address === '') throw new Rejection(501, '5.1.3', 'Empty recipient')
  refuseUtf8Unless(utf8, address)
  return address
}

const ATOM = String.raw`[^\s<>()[\]\\,;:"@]+`
const QUOTED = String.raw`"(?:[^"\\]|\\.)*"`
const LITERAL = String.raw`\[[^\s<>[\]]+\]`
/** A path, its source route (ignored: RFC 5321, appendix C), and the parameters. Local parts with dots at their edges do
 *  exist and are accepted. */
const PATH = new RegExp(
  String.raw`^<(?:@[^\s<>:"]+:)?((?:${ATOM}|${QUOTED})@(?:${ATOM}|${LITERAL})|postmaster|)>(.*)$`,
  'iu',
)
/** Longer than in RFC 5321, section 4.5.3.1.3: some forwarders put an address into a local part. */
const LONGEST_PATH = 320

const LEADS = { FROM: /^FROM\s*:\s*/i, TO: /^TO\s*:\s*/i }

function parsePath(argument: string, keyword: keyof typeof LEADS, status: string) {
  const lead = LEADS[keyword].exec(argument)
  if (!lead) throw new Rejection(501, '5.5.4', `Syntax: ${keyword === 'FROM' ? 'MAIL FROM' : 'RCPT TO'}:<address>`)
  const path = PATH.exec(argument.slice(lead[0].length))
  const address = path?.[1] ?? ''
  if (!path || address.length > LONGEST_PATH || (keyword === 'FROM' && /^postmaster$/i.test(address))) {
    throw new Rejection(501, status, 'Invalid address')
  }
  return { address, parameters: parseParameters(path[2] ?? '') }
}

function parseParameters(text: string): Map<string, string> {
  const parameters = new Map<string, string>()
  for (const parameter of text.split(' ').filter(Boolean)) {
    const equals = parameter.indexOf('=')
    const name = (equals < 0 ? parameter : parameter.slice(0, equals)).toUpperCase()
    if (parameters.has(name)) throw badParameter(501, name)
    parameters.set(name, equals < 0 ? '' : parameter.slice(equals + 1))
  }
  return parameters
}

function badParameter(code: 501 | 555, name: string): Rejection {
  const known = /^[A-Z0-9-]{1,32}$/.test(name) ? name : '(invalid)'
  return new Rejection(code, '5.5.4', code === 555 ? `Unsupported parameter ${known}` : `Invalid parameter ${known}`)
}

function refuseUtf8Unless(utf8: boolean, address: string): void {
  if (!utf8 && /[^\x00-\x7f]/.test(address)) {
    throw new Rejection(553, '5.6.7', 'A non-ASCII address requires SMTPUTF8')
  }
}
