import type { Config } from '#/app/config/config.ts'
import type { RelayTrial, TryRelay } from '#/out/relay/relay-trial.ts'
import { type Finding, ok, problem, warning } from './finding.ts'
import { isMadeUp, lookUp } from './host-name.ts'

/** Connects to the addresses of our name as senders and mail programs do, and checks that what answers there, Mailroom or another
 *  server in front, keeps the MTA-STS policy that is served (`src/domains/mta-sts.ts`): senders that hold to it send nothing
 *  to a host whose certificate is not trusted, and mail is lost to them. */
export async function senderFindings(config: Config, tryRelay: TryRelay): Promise<Finding[]> {
  const { hostname, dnsServers } = config
  if (isMadeUp(hostname)) return []
  const { addresses } = await lookUp(hostname, dnsServers)
  const reached = (port: number, tls: 'required' | 'implicit') =>
    Promise.all(
      addresses.map(async (address) => {
        const trial = await tryRelay({ host: hostname, address, port, tls, login: undefined }, hostname)
        return { at: `${address}:${port}`, trial }
      }),
    )
  const [smtp, submissions] = await Promise.all([
    reached(25, 'required'),
    // RFC 8314
    reached(465, 'implicit'),
  ])
  return [
    ...smtp.map(({ at, trial }) => mailFinding(config, at, trial)),
    ...submissions.flatMap(({ at, trial }) => submissionFinding(config, at, trial)),
  ]
}

function mailFinding({ hostname, tls }: Config, at: string, trial: RelayTrial): Finding {
  const check = 'mail from outside'
  switch (trial.ended) {
    case 'well':
      return ok(check, `${at} has a trusted certificate for ${hostname}, as the MTA-STS policy demands`)
    case 'insecure':
      return tls
        ? problem(check, `${at} breaks the MTA-STS policy, which is enforced: ${trial.why}`, trusted(hostname))
        : warning(
            check,
            `${at} would break an MTA-STS policy, which is not enforced yet: ${trial.why}`,
            trusted(hostname),
          )
    case 'refused':
      return warning(check, `${at}: ${trial.why}`, 'Check that the server there takes mail from everybody')
    case 'unreachable':
      return warning(
        check,
        `${at} cannot be reached from here: ${trial.why}`,
        'Open port 25 in the firewall and let it lead to MAILROOM_SMTP_PORT. Some networks keep a machine from its own public ' +
          `address: then try \`openssl s_client -starttls smtp -connect ${at} -verify_hostname ${hostname}\` from another one`,
      )
  }
}

/** Nothing where no mail program is to connect. */
function submissionFinding({ hostname, submissionTls }: Config, at: string, trial: RelayTrial): Finding[] {
  const check = 'submission from outside'
  switch (trial.ended) {
    case 'well':
      return [ok(check, `${at} has a trusted certificate for ${hostname}`)]
    case 'insecure':
      return [problem(check, `${at} is refused by mail programs: ${trial.why}`, trusted(hostname))]
    default: {
      const fix = 'Open port 465 in the firewall and let it lead to MAILROOM_SUBMISSION_TLS_PORT'
      return submissionTls ? [warning(check, `${at} cannot be reached from here: ${trial.why}`, fix)] : []
    }
  }
}

function trusted(hostname: string): string {
  return (
    `Give what listens there (Mailroom: MAILROOM_TLS_CERT and MAILROOM_TLS_KEY; Postfix: smtpd_tls_chain_files) a certificate for ` +
    `${hostname} from a known authority, with its issuers`
  )
}
