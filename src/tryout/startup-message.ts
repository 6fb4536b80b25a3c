import { tryoutDomain } from '#/domains/name.ts'
import type { Tryout } from './first-start.ts'

interface Addresses {
  readonly http: string
  readonly smtp: { readonly host: string; readonly port: number }
}

/** What `npm start` prints: the addresses, and at the first start three commands to try. */
export function startupMessage({ http, smtp }: Addresses, tryout: Tryout | undefined): string {
  const listening = `
  HTTP API   ${http}/v1          reference: ${http}/docs/
  SMTP in    ${smtp.host}:${smtp.port}
`
  return tryout ? `Mailroom runs.\n${listening}${firstSteps(http, tryout)}` : `Mailroom runs.\n${listening}${again}`
}

function firstSteps(http: string, { key, messages }: Tryout): string {
  return `
The organization "tryout" has ada@${tryoutDomain}, support@${tryoutDomain} and ${messages} messages.
Its API key has all scopes. It is shown only once:

  ${key}

Try:

  curl -H 'Authorization: Bearer ${key}' '${http}/v1/labels'
  curl -H 'Authorization: Bearer ${key}' '${http}/v1/threads?mailbox=ada@${tryoutDomain}&limit=3'
  curl -H 'Authorization: Bearer ${key}' '${http}/v1/usage'
`
}

const again = `
Create a key:  npm run -s mailroom -- key create --org tryout --scopes all
`
