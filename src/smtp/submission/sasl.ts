/** A login and its password. */
export interface Credentials {
  readonly login: string
  readonly password: string
}

/** Why an exchange has no credentials: `arguments` for too many, `mechanism` for an unknown one, `cancelled` by the client,
 *  `malformed` for a response that is not base64 or not of the mechanism, `other identity` for acting as somebody else. */
export type SaslFault = 'arguments' | 'mechanism' | 'cancelled' | 'malformed' | 'other identity'

/** An exchange without credentials. The edge says it in its protocol. */
export class SaslFailure extends Error {
  readonly fault: SaslFault

  constructor(fault: SaslFault, message: string) {
    super(message)
    this.fault = fault
  }
}

/** What a mechanism asks: `first` is the initial response, or the answer to a challenge without one. */
interface Exchange {
  readonly first: (challenge: string) => Promise<string>
  readonly next: (challenge: string) => Promise<string>
}

/** The mechanisms by their names. LOGIN has no standard, but some programs know nothing else. */
const exchanges: ReadonlyMap<string, (exchange: Exchange) => Promise<Credentials>> = new Map([
  ['PLAIN', async ({ first }) => plain(await first(''))],
  ['LOGIN', async ({ first, next }) => ({ login: await first('Username:'), password: await next('Password:') })],
])

/** As EHLO offers them. */
export const mechanisms = [...exchanges.keys()].join(' ')

/** Runs the exchange after AUTH (RFC 4954, section 4) or AUTHENTICATE (RFC 9051, section 6.2.2). `ask` sends a challenge in base64
 *  and answers the client's response. Throws `SaslFailure`. */
export async function credentials(argument: string, ask: (challenge: string) => Promise<string>): Promise<Credentials> {
  const [mechanism = '', initial, ...rest] = argument.split(/ +/)
  if (rest.length > 0) throw new SaslFailure('arguments', 'There is a mechanism and an optional initial response')
  const next = async (challenge: string) => decoded(await ask(Buffer.from(challenge).toString('base64')))
  const first = async (challenge: string) => (initial === undefined ? await next(challenge) : decoded(initial))
  const exchange = exchanges.get(mechanism.toUpperCase())
  if (!exchange) throw new SaslFailure('mechanism', `Unknown mechanism; supported: ${mechanisms}`)
  return await exchange({ first, next })
}

/** RFC 4616: authorization identity, authentication identity, password. The two identities must be the same. */
function plain(message: string): Credentials {
  const [actFor, login, password, ...rest] = message.split('\0')
  if (actFor === undefined || login === undefined || password === undefined || rest.length > 0) throw malformed()
  if (actFor !== '' && actFor.toLowerCase() !== login.toLowerCase())
    throw new SaslFailure('other identity', 'Authorization as another user is not supported')
  return { login, password }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** `=` is an empty response, `*` ends the exchange. */
function decoded(response: string): string {
  if (response === '*') throw new SaslFailure('cancelled', 'Authentication cancelled')
  const octets = Buffer.from(response === '=' ? '' : response, 'base64')
  if (response !== '=' && octets.toString('base64') !== response) throw malformed()
  try {
    return utf8.decode(octets)
  } catch {
    throw malformed()
  }
}

function malformed(): SaslFailure {
  return new SaslFailure('malformed', 'Invalid base64 in the response')
}
