import { tryoutDomain } from '#/domains/name.ts'
import type { Tryout } from './first-start.ts'

interface Addresses {
  readonly http: string
  readonly smtp: { readonly host: string; readonly port: number }
}

/** What `npm start` prints: the addresses, and at the first start a link that signs in and three commands to try. */
export function startupMessage({ http, smtp }: Addresses, tryout: Tryout | undefined): string {
  const listening = `
  Web app    ${http}/
  HTTP API   ${http}/v1          reference: ${http}/docs/
  SMTP in    ${smtp.host}:${smtp.port}
`
  return tryout ? `Mailroom runs.\n${listening}${firstSteps(http, tryout)}` : `Mailroom runs.\n${listening}${again}`
}

function firstSteps(http: string, { key, messages, link }: Tryout): string {
  return `
The organization "tryout" has ada@${tryoutDomain}, support@${tryoutDomain} and ${messages} messages.
Open this link to sign in as its owner. It works once, for 72 hours:

  ${link}

Its API key has all scopes. It is shown only once:

  ${key}

Try:

  curl -H 'Authorization: Bearer ${key}' '${http}/v1/labels'
  curl -H 'Authorization: Bearer ${key}' '${http}/v1/threads?mailbox=ada@${tryoutDomain}&limit=3'
  curl -H 'Authorization: Bearer ${key}' '${http}/v1/usage'
`
}

const again = `
Sign in:       npm run -s mailroom -- member invite ada@${tryoutDomain} --org tryout
Create a key:  npm run -s mailroom -- key create --org tryout --scopes all
`
