import { queryOptions } from '@tanstack/react-query'
import {
  createLabel,
  createOwnLabel,
  deleteLabel,
  deleteOwnLabel,
  listAuditEntries,
  listLabels,
  listOrphanLabels,
  listOwnLabels,
  updateLabel,
  updateOwnLabel,
} from '../../api/generated.ts'
import { ofBoth } from '../../session/owned.ts'

/** In addition to events, which not every change of a message's keywords has. */
const refetchInterval = 30_000

/** The number of messages with each label, by the label's id. */
export const labelCountsQuery = queryOptions({
  queryKey: ['labels', 'counted', 'labels'],
  queryFn: ({ signal }) =>
    ofBoth(listLabels({ counts: true }, { signal }), listOwnLabels({ counts: true }, { signal })),
  select: (labels) => new Map(labels.map(({ id, messages, unread }) => [id, { messages, unread }])),
  refetchInterval,
})

/** Keywords on messages that no label has, those on most messages first. */
export const orphansQuery = queryOptions({
  queryKey: ['labels', 'counted', 'orphans'],
  queryFn: ({ signal }) => listOrphanLabels({}, { signal }),
  select: ({ data }) => data.toSorted((one, other) => other.messages - one.messages),
  refetchInterval,
})

/** Who created the organization's labels, by the label's id, as far as the audit trail goes back. */
export const labelMakersQuery = queryOptions({
  queryKey: ['labels', 'makers'],
  queryFn: ({ signal }) => listAuditEntries({ action: 'label.created', limit: 1_000 }, { signal }),
  select: ({ data }) =>
    new Map(data.map(({ item, actor }) => [item.id, actor.kind === 'service' ? 'the service' : actor.name])),
})

const ofOrganization = { create: createLabel, change: updateLabel, remove: deleteLabel }
const ofMember = { create: createOwnLabel, change: updateOwnLabel, remove: deleteOwnLabel }

/** Requests that change labels of the organization or of the member. */
export const labelRequests = (own: boolean) => (own ? ofMember : ofOrganization)
