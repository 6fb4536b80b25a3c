import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import { version } from '#/base/version.ts'
import type { App } from '../app-type.ts'
import { publishedDescription } from './components.ts'
import { describeRoute } from './route.ts'
import { serveDescription } from './serve.ts'

interface ApiDescription {
  readonly publicUrl: string | undefined
  /** The requests that the service makes. */
  readonly webhooks: Readonly<Record<string, object>>
}

/** OpenAPI 3.1 of all routes, made from the schemas that validate, and a page that shows it without the internet. */
export async function describeApi(app: App, { publicUrl, webhooks }: ApiDescription): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Mailroom',
        version,
        description: about,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      webhooks: { ...webhooks },
      components: {
        securitySchemes: {
          key: {
            type: 'http',
            scheme: 'bearer',
            description:
              'An API key of the organization: `mrk_…`. In the operations that take one, a session does too.',
          },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: '__Host-mailroom_session',
            description:
              "A member's session, which `POST /v1/session` opens. Without TLS, on the same machine, the cookie is `mailroom_session`.",
          },
        },
      },
    },
    transform: ({ schema, url, route }) => ({
      url,
      // The plugin types what a schema may hold more narrowly than OpenAPI does.
      schema: describeRoute({ schema, url, config: route.config }, String(route.method)) as typeof schema,
    }),
    transformObject: (document) =>
      'openapiObject' in document ? publishedDescription(document.openapiObject) : document.swaggerObject,
  })
  await app.register(referencePage)
  serveDescription(app, () => app.swagger(), publicUrl)
}

/** The page may load its own files only. `upgrade-insecure-requests` would leave it blank without TLS. */
const policy = {
  'default-src': "'none'",
  'base-uri': "'none'",
  'connect-src': "'self'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
  'img-src': ["'self'", 'data:'],
  'script-src': "'self'",
  'style-src': "'self'",
}

/** Hides the logo and the field for other documents, and fits the page to phones. */
const style = `
.swagger-ui .topbar { display: none }
@media (max-width: 640px) {
  .swagger-ui .wrapper { padding: 0 10px }
  .swagger-ui .servers > label { margin-right: 0 }
  .swagger-ui .servers select { max-width: 100% }
  .swagger-ui .parameters-container, .swagger-ui .responses-inner { overflow-x: auto }
}
`

async function referencePage(app: App): Promise<void> {
  app.addHook('onSend', (_request, _reply, payload: unknown, done) => {
    // Of all that is sent as text only the page has a head.
    done(null, typeof payload === 'string' ? payload.replace('<head>', `<head>${viewport}`) : payload)
  })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: policy,
    theme: { title: 'Mailroom API', css: [{ filename: 'mailroom.css', content: style }] },
    uiConfig: { url: '/v1/openapi.json', deepLinking: true, persistAuthorization: false },
  })
}

const viewport = '<meta name="viewport" content="width=device-width, initial-scale=1">'

const about = `An organization's programs use this API with keys of the organization, and its members use it after they have signed in.

**Errors** have one body, \`{"error": {code, message, field?, fix?, details?, request_id}}\`. Status and code go together as
in the responses below. \`details\` lists all that is wrong with the body or the query, each as \`{field, message}\`. An unknown
field of a body, or an unknown query parameter, is \`invalid_request\`. A field of a body that may be left out may also be null, which
is the same unless the description of the field says otherwise.

**Who asks**: a program sends a key. A browser sends the cookie of a member's session, which operations with a scope accept as well.
A request needs one of them; if it has both, the key counts.

**Rate limit**: a key or member may make 600 requests a minute, or fewer if the key says so. Every answer says in \`RateLimit\`
what remains.

**Repeating a request**: if you send a POST, PUT, PATCH or DELETE again with the same \`Idempotency-Key\` within 24 hours, you get the
first answer again.

**Versions**: changes within \`/v1\` only add, so ignore response fields that you do not know. If something is to be removed,
\`Deprecation\` (RFC 9745) and \`Sunset\` (RFC 8594) announce it for 12 months.`
