import type { Listening } from '#/base/network/listening.ts'
import { tryoutDomain } from '#/domains/name.ts'
import type { Tryout } from './first-start.ts'

interface Addresses {
  readonly http: string
  readonly smtp: Listening
  /** Where mail programs read mail, if they can. */
  readonly imap?: Listening | undefined
  /** Whether it serves the web app. */
  readonly web: boolean
}

/** What `npm start` prints: the addresses, and at the first start a link that signs in and three commands to try. */
export function startupMessage({ http, smtp, imap, web }: Addresses, tryout: Tryout | undefined): string {
  const listening = `
  Web app    ${web ? `${http}/` : 'not built: `npm ci && npm run build` builds it, then start again'}
  HTTP API   ${http}/v1          reference: ${http}/docs/
  SMTP in    ${smtp.host}:${smtp.port}
${
  imap
    ? `  IMAP       ${imap.host}:${imap.port}        user name: ada@${tryoutDomain}; without encryption, from this machine alone
`
    : ''
}`
  return `Mailroom runs.\n${listening}${tryout ? firstSteps({ http, web, imap }, tryout) : again}`
}

function firstSteps({ http, web, imap }: Omit<Addresses, 'smtp'>, { key, messages, link, password }: Tryout): string {
  const open = web
    ? 'Open this link to sign in as its owner.'
    : 'Once the web app is built, this link signs in as its owner.'
  return `
The organization "tryout" has ada@${tryoutDomain}, support@${tryoutDomain} and ${messages} messages.
${open} It works once, for 72 hours:

  ${link}

${
  imap
    ? `A mail program signs in as ada@${tryoutDomain} with this password, which is shown only once:

  ${password}

`
    : ''
}Its API key has all scopes. It is shown only once:

  ${key}

Try:

  curl -H 'Authorization: Bearer ${key}' '${http}/v1/labels'
  curl -H 'Authorization: Bearer ${key}' '${http}/v1/threads?mailbox=ada@${tryoutDomain}&limit=3'
  curl -H 'Authorization: Bearer ${key}' '${http}/v1/usage'
`
}

const again = `
Sign in:       npm run -s mailroom -- member invite ada@${tryoutDomain} --org tryout
Password:      npm run -s mailroom -- mailbox password ada@${tryoutDomain} --org tryout
Create a key:  npm run -s mailroom -- key create --org tryout --scopes all
`
