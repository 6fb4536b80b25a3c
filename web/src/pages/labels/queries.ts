import { queryOptions } from '@tanstack/react-query'
import {
  changeLabel,
  changeOwnLabel,
  createLabel,
  createOwnLabel,
  deleteLabel,
  deleteOwnLabel,
  type Label,
  listLabels,
  listOwnLabels,
  readAuditTrail,
} from '../../api/generated.ts'
import { queryClient } from '../../app/query-client.ts'
import { type Owned, ofBoth } from '../../session/owned.ts'

export type AnyLabel = Owned<Label>

/** All labels that the member may set on messages. */
export const labelsQuery = queryOptions({
  queryKey: ['labels'],
  queryFn: ({ signal }) => ofBoth(listLabels({}, { signal }), listOwnLabels({}, { signal })),
})

/** The number of messages with each label, by the label's id. */
export const labelCountsQuery = queryOptions({
  queryKey: ['labels', 'counts'],
  queryFn: ({ signal }) =>
    ofBoth(listLabels({ counts: true }, { signal }), listOwnLabels({ counts: true }, { signal })),
  select: (labels) => new Map(labels.map(({ id, messages, unread }) => [id, { messages, unread }])),
})

/** Who created the organization's labels, by the label's id, as far as the audit trail goes back. */
export const labelMakersQuery = queryOptions({
  queryKey: ['labels', 'makers'],
  queryFn: ({ signal }) => readAuditTrail({ action: 'label.created', limit: 1_000 }, { signal }),
  select: ({ data }) =>
    new Map(data.map(({ item, actor }) => [item.id, actor.kind === 'service' ? 'the service' : actor.name])),
})

export const labelsChanged = () => queryClient.invalidateQueries({ queryKey: labelsQuery.queryKey })

const ofOrganization = { create: createLabel, change: changeLabel, remove: deleteLabel }
const ofMember = { create: createOwnLabel, change: changeOwnLabel, remove: deleteOwnLabel }

/** Requests that change labels of the organization or of the member. */
export const labelRequests = (own: boolean) => (own ? ofMember : ofOrganization)

/** A label in words. A member's label may have the name of one of the organization's. */
export const labelText = ({ name, own }: AnyLabel) => (own ? `${name} (your own)` : name)
