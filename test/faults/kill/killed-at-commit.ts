import type { Service } from '#test/world/service.ts'
import { SmtpClient } from '#test/world/sockets/smtp-client.ts'
import { killedAt } from '../letters/post-office.ts'
import type { Letter } from '../letters/senders.ts'

/** The environment of a service that is killed at the commit of such a letter, the first; or stopped, until it is told to
 *  continue. */
export function killedAtCommit(
  when: 'before' | 'after',
  { long }: Letter,
  signal: 'SIGKILL' | 'SIGSTOP' = 'SIGKILL',
): Record<string, string> {
  const statements = ['insert into arrivals', ...(long ? ['commit'] : [])]
  return { ...killedAt({ statements, when }), KILL_WITH: signal }
}

/** What a process says on standard output as it stops. */
export const stopping = 'stops at a statement'

/** The code of the last reply. */
export async function handOver({ smtp }: Service, letter: Letter): Promise<number> {
  await using client = await SmtpClient.greeted(smtp.port)
  return (await client.send('ann@peer.example', letter.recipients, letter.text.slice(0, -2))).code
}
