import { queryOptions } from '@tanstack/react-query'
import { listSignatures, type Signature } from '../../../api/generated.ts'
import { queryClient } from '../../../app/query-client.ts'

/** The member's signatures. */
export const signaturesQuery = queryOptions({
  queryKey: ['signatures'],
  queryFn: ({ signal }) => listSignatures(undefined, { signal }),
  // Writing does not wait for a service that does not answer.
  retry: false,
})

/** The signature of a mailbox; none if the service does not answer. */
export async function signatureOf(mailbox: string): Promise<Signature | undefined> {
  const known = await queryClient.ensureQueryData(signaturesQuery).catch(() => undefined)
  return known?.data.find((one) => one.mailbox === mailbox)
}
