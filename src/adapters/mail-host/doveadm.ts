import { setTimeout as wait } from 'node:timers/promises'
import { mailUnavailable } from '#/errors.ts'
import type { MailServerControl } from '#/ports/mail-server-control.ts'
import type { DoveadmServer } from '#/ports/servers.ts'

type Command = readonly [name: string, parameters: Readonly<Record<string, unknown>>]

/** The limits of one request. */
const mostCommands = 100
/** How long Dovecot may take, in milliseconds: to look up sessions, and to rewrite a mailbox's files. */
const timeouts = { kick: 10_000, purge: 600_000 } as const
/** Milliseconds until a client that was authenticated before a password changed has a session. */
const stillLoggingIn = 2_000

/** Exit codes of doveadm (sysexits.h): the user is unknown, and has no session. */
const unknownUser = 67
const noSession = 68

/** The id of no mailbox. */
const nobody = '00000000-0000-0000-0000-000000000000'

/** Dovecot's commands over HTTP: https://doc.dovecot.org/2.3/admin_manual/doveadm_http_api/ */
export class Doveadm implements MailServerControl {
  readonly #server: DoveadmServer

  constructor(server: DoveadmServer) {
    this.#server = server
  }

  async kick(mailboxIds: readonly string[]): Promise<void> {
    for (let at = 0; at < mailboxIds.length; at += mostCommands) {
      const commands = mailboxIds.slice(at, at + mostCommands).map((id): Command => ['kick', { mask: [id] }])
      await this.#run(commands, [noSession], timeouts.kick)
    }
  }

  async endSessions(mailboxIds: readonly string[]): Promise<void> {
    if (mailboxIds.length === 0) return
    await this.kick(mailboxIds)
    await wait(stillLoggingIn)
    await this.kick(mailboxIds)
  }

  async purge(mailboxId: string): Promise<void> {
    await this.#run([['purge', { user: mailboxId }]], [], timeouts.purge)
  }

  async try(): Promise<void> {
    await this.#run(
      [
        ['kick', { mask: [nobody] }],
        ['purge', { user: nobody }],
      ],
      [noSession, unknownUser],
      timeouts.kick,
    )
  }

  /** Each of the commands must succeed or end with one of these codes. */
  async #run(commands: readonly Command[], accepted: readonly number[], timeoutMs: number): Promise<void> {
    const answers = await this.#ask(commands, timeoutMs).catch((error) => {
      throw mailUnavailable(new Error(`doveadm at ${this.#server.origin}: ${wordsOf(error)}`, { cause: error }))
    })
    for (const [index, [name]] of commands.entries()) {
      const [kind, detail] = answers.get(`${index}`) ?? []
      if (kind === 'doveadmResponse') continue
      const { type, exitCode } = (detail ?? {}) as { type?: string; exitCode?: number }
      if (type === 'exitCode' && accepted.includes(exitCode ?? 0)) continue
      const why = type === 'exitCode' ? `exit code ${exitCode}` : (type ?? 'nothing')
      throw mailUnavailable(new Error(`doveadm at ${this.#server.origin} answers ${name} with ${why}`))
    }
  }

  async #ask(commands: readonly Command[], timeoutMs: number): Promise<Map<string, readonly unknown[]>> {
    const { origin, password } = this.#server
    const response = await fetch(`${origin}/doveadm/v1`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Authorization: `Basic ${Buffer.from(`doveadm:${password}`).toString('base64')}`,
      },
      body: JSON.stringify(commands.map((command, index) => [...command, `${index}`])),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (response.status === 401 || response.status === 403) throw new Error('it refuses the password')
    if (!response.ok) throw new Error(`HTTP status ${response.status}`)
    const answers: unknown = await response.json()
    if (!Array.isArray(answers)) throw new Error('its answer is not that of doveadm')
    return new Map(answers.filter(Array.isArray).map((answer: readonly unknown[]) => [String(answer[2]), answer]))
  }
}

function wordsOf(error: Error): string {
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message
}
