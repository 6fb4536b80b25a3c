import { queryOptions } from '@tanstack/react-query'
import { type Label, listLabels, listOwnLabels } from '../../api/generated.ts'
import { type Owned, ofBoth } from '../../session/owned.ts'

// What the first page loads is here; what the page of labels alone needs is in `catalogue.ts`.

export type AnyLabel = Owned<Label>

/** All labels that the member may set on messages. */
export const labelsQuery = queryOptions({
  queryKey: ['labels'],
  queryFn: ({ signal }) => ofBoth(listLabels({}, { signal }), listOwnLabels({}, { signal })),
})

/** A label in words. A member's label may have the name of one of the organization's. */
export const labelText = ({ name, own }: AnyLabel) => (own ? `${name} (your own)` : name)
