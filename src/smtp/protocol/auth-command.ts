import type { ClientConnection } from '#/smtp/connection/connection.ts'
import type { Client, Named } from './envelope.ts'
import type { MailHandler, SessionContext } from './mail-handler.ts'
import { Rejection } from './reply.ts'

/** Handles AUTH (RFC 4954), only over TLS. Returns the handler for the user's mail. Throws `Rejection`. */
export async function logIn(
  argument: string,
  { auth }: SessionContext,
  connection: ClientConnection,
  client: Client,
): Promise<MailHandler<Named>> {
  if (!auth) throw new Rejection(502, '5.5.1', 'Command not implemented')
  if (!connection.tls) throw new Rejection(538, '5.7.11', 'Encryption required: send STARTTLS first')
  return await auth.logIn(argument, client, async (challenge) => {
    connection.say(`334 ${challenge}\r\n`)
    await connection.flush()
    const { text, fault } = await connection.line()
    if (fault) throw new Rejection(500, '5.5.2', 'Line too long, or not ended by CR LF')
    return text
  })
}
