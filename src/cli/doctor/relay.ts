import type { Config } from '#/config/config.ts'
import type { TryRelay } from '#/ports/relay-trial.ts'
import { type Finding, ok, problem } from './finding.ts'

/** Whether the relay lets us in, where all mail that leaves goes through one. */
export async function relayFinding({ secrets: { relay }, hostname }: Config, tryRelay: TryRelay): Promise<Finding[]> {
  if (!relay) return []
  const check = 'relay'
  const at = `${relay.host}:${relay.port}`
  const trial = await tryRelay(relay, hostname)
  switch (trial.ended) {
    case 'unreachable':
      return [
        problem(check, `${at}: ${trial.why}`, 'See that the server of MAILROOM_RELAY_URL runs and takes connections'),
      ]
    case 'refused':
      return [
        problem(
          check,
          `${at} does not let Mailroom in: ${trial.why}`,
          'See that MAILROOM_RELAY_URL has the user and the password that the relay knows, and asks for the TLS that it offers',
        ),
      ]
    case 'well':
      return [ok(check, relay.login ? `${at} answers and lets Mailroom in` : `${at} answers`)]
  }
}
