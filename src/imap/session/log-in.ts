import { type LoginDependencies, logInTo } from '#/smtp/submission/log-in.ts'
import { type Credentials, credentials } from '#/smtp/submission/sasl.ts'
import type { Command } from '../wire/arguments.ts'
import type { User } from './session.ts'

/** Lets a mail program in, from an address. @throws LoginRefused */
export type LogIn = (
  given: Credentials,
  from: string,
) => Promise<{ readonly user: User; readonly passwordHash: string }>

/** By the accounts, passwords and limits of submission. */
export function loginBy(parts: LoginDependencies): LogIn {
  return async (given, from) => {
    const { organizationId, mailboxId, address, passwordHash, private: isPrivate } = await logInTo(parts, given, from)
    const by = { kind: 'mail_program', id: null, name: '' } as const
    const user = { mailbox: { organizationId, mailboxId }, address, isPrivate, by }
    return { user, passwordHash: passwordHash ?? '' }
  }
}

/** The login and password of LOGIN or of an exchange of AUTHENTICATE (RFC 9051, sections 6.2.2 and 6.2.3). @throws SaslFailure */
export async function readCredentials(
  { name, args }: Command,
  ask: (challenge: string) => Promise<string>,
): Promise<Credentials> {
  args.space()
  if (name === 'LOGIN') {
    const login = args.astring()
    args.space()
    const password = args.astring()
    args.end()
    return { login, password }
  }
  const mechanism = args.atom()
  const words = [mechanism]
  if (!args.isAtEnd()) {
    args.space()
    words.push(args.atom())
    args.end()
  }
  return await credentials(words.join(' '), ask)
}
