import { fileURLToPath } from 'node:url'
import { SmtpClient } from '#test/sockets/smtp-client.ts'
import type { Service } from '#test/world/service.ts'
import type { Letter } from '../letters/senders.ts'

/** The environment of a service that is killed at the commit of such a letter, the first; or stopped, until it is told to
 *  continue. */
export function killedAtCommit(
  when: 'before' | 'after',
  { long }: Letter,
  signal: 'SIGKILL' | 'SIGSTOP' = 'SIGKILL',
): Record<string, string> {
  return {
    NODE_OPTIONS: `--import ${fileURLToPath(new URL('./kill-at-statement.ts', import.meta.url))}`,
    KILL_AT_STATEMENT: JSON.stringify(['insert into arrivals', ...(long ? ['commit'] : [])]),
    KILL_WHEN: when,
    KILL_WITH: signal,
  }
}

/** What a process says on standard output as it stops. */
export const stopping = 'stops at a statement'

/** The code of the last reply. */
export async function handOver({ smtp }: Service, letter: Letter): Promise<number> {
  await using client = await SmtpClient.greeted(smtp.port)
  return (await client.send('ann@peer.example', letter.recipients, letter.text.slice(0, -2))).code
}
