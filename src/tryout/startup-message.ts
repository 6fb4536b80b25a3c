import { tryoutDomain } from '#/domains/name.ts'
import type { Tryout } from './first-start.ts'

interface Addresses {
  readonly http: string
  readonly smtp: { readonly host: string; readonly port: number }
}

/** What `npm start` prints: where Mailroom listens, and at the first start three lines that work as they are. */
export function startupMessage({ http, smtp }: Addresses, tryout: Tryout | undefined): string {
  const listening = `
  HTTP API   ${http}/v1          reference: ${http}/docs/
  SMTP in    ${smtp.host}:${smtp.port}
`
  return tryout ? `Mailroom runs.\n${listening}${firstSteps(http, tryout)}` : `Mailroom runs.\n${listening}${again}`
}

function firstSteps(http: string, { key, messages }: Tryout): string {
  return `
A try-out organization is there, with ada@${tryoutDomain}, support@${tryoutDomain} and ${messages} messages.
Its API key, shown this once, with all scopes:

  ${key}

Try:

  curl -H 'Authorization: Bearer ${key}' '${http}/v1/labels'
  curl -H 'Authorization: Bearer ${key}' '${http}/v1/threads?mailbox=ada@${tryoutDomain}&limit=3'
  curl -H 'Authorization: Bearer ${key}' '${http}/v1/usage'
`
}

const again = `
Make a key:  npm run -s mailroom -- key create --org tryout --scopes all
`
