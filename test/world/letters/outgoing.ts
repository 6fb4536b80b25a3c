import type { Outgoing } from '#/out/sending/outgoing.ts'

/** A plain message as it is handed in to be sent. */
export const outgoing: Outgoing = {
  ...{ from: { name: 'Ada', address: 'ada@example.com' }, to: [{ name: '', address: 'bob@example.com' }] },
  ...{ cc: [], bcc: [], replyTo: [], subject: 'Hello', text: 'Hello Bob', html: null },
  ...{ inReplyTo: [], references: [], attachments: [] },
}
