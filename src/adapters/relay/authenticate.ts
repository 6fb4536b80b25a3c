import type { Session } from './session.ts'
import { Trouble, troubleFrom } from './trouble.ts'
import type { Wire } from './wire.ts'

export interface Login {
  readonly user: string
  readonly password: string
}

/** Logs in (RFC 4954) by PLAIN, else by LOGIN. Throws `Trouble`, whose words never hold the password. */
export async function authenticate(
  wire: Wire,
  { user, password }: Login,
  extensions: Session['extensions'],
  limit: number,
): Promise<void> {
  const offered = extensions.get('AUTH') ?? []
  const plain = base64(`\0${user}\0${password}`)
  const lines = offered.includes('PLAIN')
    ? [`AUTH PLAIN ${plain}`]
    : offered.includes('LOGIN')
      ? ['AUTH LOGIN', base64(user), base64(password)]
      : undefined
  if (!lines) throw new Trouble('4.7.4', `${wire.host} offers no way to log in that we know (PLAIN, LOGIN)`)
  for (const line of lines) {
    wire.send(`${line}\r\n`)
    const reply = await wire.reply('AUTH', limit)
    if (reply.code === 235) return
    if (reply.code !== 334 || line === lines.at(-1)) {
      const kept = reply.lines.map((text) => without(text, [plain, base64(password), password]))
      throw troubleFrom({ ...reply, lines: kept }, wire.host, 'our login')
    }
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

function without(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => left.replaceAll(secret, '***'), text)
}
