import type { Connection } from './connection.ts'
import type { Client, Named } from './envelope.ts'
import type { Host, MailTaker } from './host.ts'
import { Rejection } from './reply.ts'

/** Answers AUTH (RFC 4954) with who decides about mail of whoever logs in. No password goes in the clear, so nobody is asked
 *  for one before TLS. Throws `Rejection`. */
export async function logIn(
  argument: string,
  { gate }: Host,
  connection: Connection,
  client: Client,
): Promise<MailTaker<Named>> {
  if (!gate) throw new Rejection(502, '5.5.1', 'That is not offered here')
  if (!connection.tls) throw new Rejection(538, '5.7.11', 'Say STARTTLS first: no password goes in the clear')
  return await gate.logIn(argument, client, async (challenge) => {
    connection.say(`334 ${challenge}\r\n`)
    await connection.flush()
    const { text, fault } = await connection.line()
    if (fault) throw new Rejection(500, '5.5.2', 'Lines must end in CR LF, and not be so long')
    return text
  })
}
