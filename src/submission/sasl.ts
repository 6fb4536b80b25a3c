import { Rejection } from '#/inbound/smtp/reply.ts'

/** A login and its password. */
export interface Credentials {
  readonly login: string
  readonly password: string
}

/** As EHLO offers them. LOGIN has no standard, but some programs know nothing else. */
export const mechanisms = 'PLAIN LOGIN'

/** Runs the exchange after AUTH (RFC 4954, section 4). `ask` sends a challenge in base64 and answers the client's response.
 *  Throws `Rejection`. */
export async function credentials(argument: string, ask: (challenge: string) => Promise<string>): Promise<Credentials> {
  const [mechanism = '', initial, ...rest] = argument.split(/ +/)
  if (rest.length > 0) throw new Rejection(501, '5.5.4', 'AUTH takes a mechanism and an optional initial response')
  const next = async (challenge: string) => decoded(await ask(Buffer.from(challenge).toString('base64')))
  const first = (challenge: string) => (initial === undefined ? next(challenge) : decoded(initial))
  switch (mechanism.toUpperCase()) {
    case 'PLAIN':
      return plain(await first(''))
    case 'LOGIN':
      return { login: await first('Username:'), password: await next('Password:') }
    default:
      throw new Rejection(504, '5.5.4', `Unknown mechanism; supported: ${mechanisms}`)
  }
}

/** RFC 4616: authorization identity, authentication identity, password. The two identities must be the same. */
function plain(message: string): Credentials {
  const [actFor, login, password, ...rest] = message.split('\0')
  if (actFor === undefined || login === undefined || password === undefined || rest.length > 0) throw malformed()
  if (actFor !== '' && actFor.toLowerCase() !== login.toLowerCase())
    throw new Rejection(535, '5.7.8', 'Authorization as another user is not supported')
  return { login, password }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** `=` is an empty response, `*` ends the exchange. */
function decoded(response: string): string {
  if (response === '*') throw new Rejection(501, '5.7.0', 'Authentication cancelled')
  const octets = Buffer.from(response === '=' ? '' : response, 'base64')
  if (response !== '=' && octets.toString('base64') !== response) throw malformed()
  try {
    return utf8.decode(octets)
  } catch {
    throw malformed()
  }
}

function malformed(): Rejection {
  return new Rejection(501, '5.5.2', 'Invalid base64 in the response')
}
