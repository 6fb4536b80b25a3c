import type { Operator } from '../command.ts'
import { errorText } from '../error-text.ts'

/** `ended` is null if the mail server takes no commands. */
export interface Sessions {
  readonly ended: boolean | null
  readonly sentence: string
}

/** Ends the sessions of mail programs in mailboxes that were suspended, or whose password was changed. */
export async function endSessions(
  { config, serverControl }: Operator,
  mailboxIds: readonly string[],
): Promise<Sessions> {
  if (!config.secrets.imap) return { ended: null, sentence: '' }
  if (!serverControl) {
    const sentence =
      'Mail programs stay logged in until they disconnect: MAILROOM_DOVEADM_URL is not set (docs/dovecot.md).'
    return { ended: null, sentence }
  }
  try {
    await serverControl.endSessions(mailboxIds)
    return { ended: true, sentence: 'Sessions of mail programs were ended.' }
  } catch (error) {
    return {
      ended: false,
      sentence: `Sessions of mail programs may go on: ${errorText(error)}. Run \`doveadm kick\` there.`,
    }
  }
}

/** The result of a suspension or its end. */
export function suspensionText(name: string, before: boolean, suspended: boolean): string {
  const state = suspended ? 'suspended' : 'not suspended'
  return before === suspended ? `${name} was already ${state}.` : `${name} is now ${state}.`
}

/** Appends the sentence, and gives the exit code of the command. */
export function withSessions(text: string, { ended, sentence }: Sessions): { text: string; exitCode: number } {
  return { text: sentence === '' ? text : `${text}\n${sentence}`, exitCode: ended === false ? 1 : 0 }
}
