import type { Config } from '#/app/config/config.ts'
import type { TryRelay } from '#/out/relay/relay-trial.ts'
import { type Finding, ok, problem } from './finding.ts'

/** Checks the login to the relay, if there is one. */
export async function relayFinding(
  { secrets: { relay }, hostname, mailSource }: Config,
  tryRelay: TryRelay,
): Promise<Finding[]> {
  if (!relay) return []
  const check = 'relay'
  const at = `${relay.host}:${relay.port}`
  const trial = await tryRelay(relay, hostname, mailSource)
  switch (trial.ended) {
    case 'unreachable':
      return [
        problem(
          check,
          `${at}: ${trial.why}`,
          'Check that the server of MAILROOM_RELAY_URL runs and accepts connections',
        ),
      ]
    case 'insecure':
      return [
        problem(
          check,
          `${at}: ${trial.why}`,
          'Check the name in MAILROOM_RELAY_URL and the certificate of the relay, and the kind of TLS that it offers',
        ),
      ]
    case 'refused':
      return [
        problem(
          check,
          `${at} refuses the login: ${trial.why}`,
          'Check that MAILROOM_RELAY_URL has the right user and password, and the kind of TLS that the relay offers',
        ),
      ]
    case 'well':
      return [ok(check, relay.login ? `${at} accepts the login` : `${at} answers`)]
  }
}
