import type { Config } from '#/app/config/config.ts'
import type { Database } from '#/base/db/open.ts'
import type { TryRelay } from '#/out/relay/relay-trial.ts'
import { type Answer, command } from '../command.ts'
import { missingDatabase } from '../missing-database.ts'
import { table } from '../table.ts'
import { senderFindings } from './as-a-sender.ts'
import { certificateFinding } from './certificate.ts'
import { databaseFindings, unreachable } from './database.ts'
import { dataDirectoryFinding } from './files.ts'
import { type Finding, ok, problem, warning } from './finding.ts'
import { hostNameFinding } from './host-name.ts'
import { mailSourceFindings, portFindings } from './ports.ts'
import { publicUrlFindings } from './public-url.ts'
import { relayFinding } from './relay.ts'
import { secretFinding } from './secret.ts'
import { singleSignOnFinding } from './single-sign-on.ts'

export const doctorCommand = command({
  name: 'doctor',
  summary:
    'Check configuration, secret, database, relay, files, ports, public URL, single sign-on, clock, DNS, and what senders reach; say what to fix',
  operands: [],
  options: {},
  run: ({ config, database, tryRelay }) => diagnose(config, { database }, tryRelay),
})

/** The database, why it cannot be opened, or that it does not exist yet. */
export type DatabaseState = { readonly database: Database } | { readonly failure: string } | 'missing'

/** Runs all checks. Exit code 1 if there is a problem. */
export async function diagnose(config: Config, state: DatabaseState, tryRelay: TryRelay): Promise<Answer> {
  const db = typeof state === 'object' && 'database' in state ? state.database.db : undefined
  const findings = await Promise.all([
    configurationFindings(config),
    dataDirectoryFinding(config),
    secretFinding(config, db),
    stateFindings(config, state),
    relayFinding(config, tryRelay),
    mailSourceFindings(config),
    certificateFinding(config),
    portFindings(config),
    publicUrlFindings(config),
    singleSignOnFinding(config),
    hostNameFinding(config),
    senderFindings(config, tryRelay),
  ])
  return report(findings.flat())
}

/** The report for an unusable configuration: no other check is possible. */
export function misconfigured(problems: readonly string[]): Answer {
  return report(problems.map((text) => problem('configuration', text, 'Then run `mailroom doctor` again')))
}

function configurationFindings({ warnings }: Config): Finding[] {
  if (warnings.length === 0) return [ok('configuration', 'every variable is valid')]
  return warnings.map((text) => warning('configuration', text, 'Correct or unset it'))
}

async function stateFindings(config: Config, state: DatabaseState): Promise<Finding[]> {
  if (state === 'missing')
    return [
      config.namesDatabase
        ? ok('database', 'embedded; created at the first start')
        : warning('database', ...missingDatabase(config)),
    ]
  if ('failure' in state) return [unreachable(config, state.failure)]
  try {
    return await databaseFindings(config, state.database)
  } catch (error) {
    return [unreachable(config, (error as Error).message)]
  }
}

function report(findings: readonly Finding[]): Answer {
  const healthy = findings.every(({ state }) => state !== 'problem')
  const fixes = findings.flatMap(({ check, fix }) => (fix === undefined ? [] : [`${check}: ${fix}.`]))
  const rows = findings.map(({ check, state, found }) => [state, check, found])
  const text = [
    table(['STATE', 'CHECK', 'FOUND'], rows, ''),
    ...(fixes.length > 0 ? ['', 'What to do:', ...fixes] : []),
  ]
  return { value: { healthy, findings }, text: text.join('\n'), exitCode: healthy ? 0 : 1 }
}
