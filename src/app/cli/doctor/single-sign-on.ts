import type { Config } from '#/app/config/config.ts'
import { type Finding, ok, problem, whyUnreachable } from './finding.ts'

const check = 'single sign-on'
const patienceMs = 5_000

/** Whether the provider of single sign-on, if there is one, says that it is the configured issuer (OpenID Connect Discovery 1.0,
 *  section 4). */
export async function singleSignOnFinding({ singleSignOn }: Pick<Config, 'singleSignOn'>): Promise<Finding[]> {
  if (!singleSignOn) return []
  const { issuer } = singleSignOn
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  try {
    const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(patienceMs) })
    if (!response.ok) return [problem(check, `${url} answers ${response.status}`, wrong)]
    const said = ((await response.json()) as { issuer?: unknown } | null)?.issuer
    if (said === issuer) return [ok(check, `${issuer} answers`)]
    return [problem(check, `${url} is of another issuer than ${issuer}`, wrong)]
  } catch (error) {
    return [problem(check, `${url}: ${whyUnreachable(error)}`, away)]
  }
}

const wrong = 'Set MAILROOM_OIDC_ISSUER to the issuer as the provider writes it, with or without a slash at its end'
const away =
  'See that MAILROOM_OIDC_ISSUER is right, and that this machine reaches the provider and trusts its certificate'
