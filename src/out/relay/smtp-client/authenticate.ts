import { DeliveryFailure, failureFrom } from '../delivery-failure.ts'
import type { Login } from '../login.ts'
import type { SmtpConnection } from './smtp-connection.ts'

/** Authenticates (RFC 4954) by PLAIN, else by LOGIN. Throws `DeliveryFailure`, whose text never contains the password. */
export async function authenticate(
  connection: SmtpConnection,
  { user, password }: Login,
  extensions: ReadonlyMap<string, readonly string[]>,
  limit: number,
): Promise<void> {
  const offered = extensions.get('AUTH') ?? []
  const plain = base64(`\0${user}\0${password}`)
  const lines = offered.includes('PLAIN')
    ? [`AUTH PLAIN ${plain}`]
    : offered.includes('LOGIN')
      ? ['AUTH LOGIN', base64(user), base64(password)]
      : undefined
  if (!lines)
    throw new DeliveryFailure('4.7.4', `${connection.host} supports no known authentication mechanism (PLAIN, LOGIN)`)
  for (const line of lines) {
    connection.send(`${line}\r\n`)
    const reply = await connection.reply('AUTH', limit)
    if (reply.code === 235) return
    if (reply.code !== 334 || line === lines.at(-1)) {
      const kept = reply.lines.map((text) => without(text, [plain, base64(password), password]))
      throw failureFrom({ ...reply, lines: kept }, connection.host, 'our login')
    }
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

function without(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => left.replaceAll(secret, '***'), text)
}
