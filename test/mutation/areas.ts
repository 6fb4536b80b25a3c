/** A part of the source, and the tests that are to catch its mutants. */
export interface Area {
  readonly source: readonly string[]
  readonly tests: readonly string[]
}

/** Tests beside those of the folder are named by where they are below `src` or `test`. By journeys those are meant that are
 *  about the area: what others catch by the way is luck. */
export const areas: Readonly<Record<string, Area>> = {
  filters: area(
    'filters',
    'labels/hygiene',
    'journeys/**/{blocks-and-filters,description,errors,personal-items}',
    'faults/**/filter-run-kill',
  ),
  threads: area('threads', 'journeys/**/{description,message-fields}'),
  http: area(
    'http',
    'journeys/**/{authorization,behind-proxy,broken-requests,cross-site,cursors,description,errors}',
    'journeys/**/{idempotency,keys-and-isolation,rate-limit,restricted-key-rules,restricted-keys}',
    'journeys/**/{roles,tracing}',
    'faults/**/unfinished-bodies',
  ),
  inbound: area(
    'inbound',
    'events/{refused,returned}',
    'journeys/**/{aliases,blocks-and-filters,errors,forwarding,hostile-mail,kept-verdict}',
    'journeys/**/{mail-in,private-mailboxes,returned-reports,sent-at-once,submission,submission-logins}',
    'journeys/**/{command-line,suspended-organization,unless-replied}',
    'faults/**/clocks',
  ),
  scheduled: area(
    'scheduled',
    'events/every-type',
    'journeys/**/{cursors,description,errors,roles,shared-mailboxes}',
    'journeys/scheduled/*',
    'faults/**/{scheduled,sent}-*',
  ),
  leases: {
    source: ['src/base/db/{leases,lease-holder}.ts'],
    tests: ['test/base/leases/*.test.ts', 'src/**/leases*.test.ts', 'src/out/queue/*.test.ts'],
  },
  queue: area(
    'queue',
    '{cli/commands/queue,conformance/leases/*,events/every-type,outbound/worker/*}',
    'journeys/{arriving/after-250,scheduled/*,sending/sending}',
    'faults/**/{kill,letter-kill,scheduled-*,sent-*}',
  ),
  outbound: area(
    'outbound',
    'events/every-type',
    'journeys/**/{approvals,drafts,header-fields,submission}',
    'journeys/{arriving/{auto-reply,forwarded-proof,forwarding,returned-reports},members/mailed-links}',
    'journeys/{scheduled/*,sending/{sending*,sent-at-once}}',
    'faults/**/{kill,letter-kill,stopped,scheduled-*,sent-*}',
  ),
  sending: area(
    'sending',
    'journeys/{access/restricted-key-rules,http/{description,errors},operating/plans}',
    'journeys/{scheduled/*,sending/{batch,header-fields,sending*,sent-at-once,submission}}',
  ),
  messages: area(
    'messages',
    'journeys/**/{cursors,description,drafts,errors,hostile-mail}',
    'journeys/{access,reading}/*',
  ),
  search: area('search', 'search/*', 'journeys/**/{cursors,description,errors}'),
  changes: area('changes', 'journeys/**/{cursors,description,errors,roles}', 'faults/cut/changes'),
  sessions: area('sessions', 'journeys/members/*', 'journeys/**/{authorization,cross-site,description,errors,roles}'),
  webhooks: area('webhooks', 'webhooks/*', 'journeys/**/{cursors,description,errors}'),
}

function area(folder: string, ...tests: readonly string[]): Area {
  return {
    source: [`src/${folder}/**/*.ts`],
    tests: [`src/${folder}/**/*.test.ts`, ...tests.map((pattern) => `{src,test}/${pattern}.test.ts`)],
  }
}
