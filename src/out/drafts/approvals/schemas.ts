import { cursorParameter, Id, Line, Nullable, OneOf, Strict, Timestamp } from '#/http/schemas/shared-schemas.ts'
import { type Static, Type } from '#/http/schemas/type.ts'
import { draftId } from '../identity.ts'
import { KnownVersion } from '../schemas.ts'
import { type Approval, approvalStates, type Who } from './approvals.ts'

const WhoOut = Type.Object(
  {
    kind: OneOf(['key', 'operator', 'member', 'service', 'single_sign_on']),
    id: Nullable(Type.String({ format: 'uuid' })),
    name: Type.String({
      description: "A key's first eight and last four characters, with its name; a member's address.",
    }),
  },
  { title: 'Who' },
)

export const ApprovalOut = Type.Object(
  {
    id: Id,
    draft_id: Type.String({ examples: [''.padEnd(43, 'aB3-')] }),
    mailbox: Type.String({ examples: ['support@example.com'] }),
    version: Type.Integer({ minimum: 1, description: 'The version of the draft that is to be sent.' }),
    digest: Type.String({ description: 'SHA-256 of the message, in hex.', examples: [''.padEnd(64, 'e3b0c4')] }),
    status: OneOf(approvalStates, {
      description: '`outdated`: the draft was edited, sent or deleted since, or another approval was asked for.',
    }),
    requested_at: Timestamp,
    requested_by: WhoOut,
    decided_at: Nullable(Timestamp),
    decided_by: Nullable(WhoOut),
    reason: Nullable(Type.String({ description: 'Why it was declined.' })),
    sent_id: Nullable(Type.String({ format: 'uuid', description: 'The `id` of the message that was sent.' })),
  },
  { title: 'Approval' },
)

export const ApprovalRequest = Strict(KnownVersion.properties, { examples: [{}] })

export const ApprovalsQuery = Strict({
  status: Type.Optional(OneOf(approvalStates, { description: 'Only approvals with this status.' })),
  draft: Type.Optional(Line({ maxLength: 100, description: 'Only the approvals of the draft with this id.' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: cursorParameter,
})

export const ApprovalPage = Type.Object({
  data: Type.Array(ApprovalOut),
  next_cursor: Nullable(Type.String({ description: '`cursor` of the next page; null on the last page.' })),
})

export const Decline = Strict(
  { reason: Line({ minLength: 1, maxLength: 998, examples: ['The price is wrong'] }) },
  { examples: [{ reason: 'The price is wrong' }] },
)

export function presentApproval(approval: Approval): Static<typeof ApprovalOut> {
  const { mailboxId, key, requestedAt, requestedBy, decidedAt, decidedBy } = approval
  return {
    id: approval.id,
    draft_id: draftId({ mailboxId, key }),
    mailbox: approval.mailbox,
    version: approval.uid,
    digest: approval.digest,
    status: approval.status,
    requested_at: requestedAt.toISOString(),
    requested_by: who(requestedBy),
    decided_at: decidedAt?.toISOString() ?? null,
    decided_by: decidedBy && who(decidedBy),
    reason: approval.reason,
    sent_id: approval.sentId,
  }
}

function who({ kind, id, name }: Who): Static<typeof WhoOut> {
  return { kind, id, name }
}
