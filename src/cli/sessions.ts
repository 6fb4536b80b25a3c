import type { Operator } from './command.ts'
import { wordsFor } from './words.ts'

/** What became of the sessions that mail programs had. `ended` is null where nothing can be said to the server. */
export interface Sessions {
  readonly ended: boolean | null
  /** Empty where there is nothing to say. */
  readonly sentence: string
}

/** Ends what mail programs have open in mailboxes whose door has just been closed, or got another lock. */
export async function endSessions(
  { config, serverControl }: Operator,
  mailboxIds: readonly string[],
): Promise<Sessions> {
  if (!config.secrets.imap) return { ended: null, sentence: '' }
  if (!serverControl) {
    const sentence =
      'Mail programs that are logged in stay so until they disconnect: MAILROOM_DOVEADM_URL is not set (docs/dovecot.md).'
    return { ended: null, sentence }
  }
  try {
    await serverControl.endSessions(mailboxIds)
    return { ended: true, sentence: 'Sessions of mail programs have ended.' }
  } catch (error) {
    return {
      ended: false,
      sentence: `Sessions of mail programs may go on: ${wordsFor(error)}. Run \`doveadm kick\` there.`,
    }
  }
}

/** The sentence below what else is said, and the exit code with which a command ends. */
export function withSessions(text: string, { ended, sentence }: Sessions): { text: string; exitCode: number } {
  return { text: sentence === '' ? text : `${text}\n${sentence}`, exitCode: ended === false ? 1 : 0 }
}
