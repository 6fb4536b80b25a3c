import { queryOptions } from '@tanstack/react-query'
import { listSignatures, type Signature } from '../../../api/generated.ts'
import { queryClient } from '../../../app/query-client.ts'

/** One's own signatures. */
export const signaturesQuery = queryOptions({
  queryKey: ['signatures'],
  queryFn: ({ signal }) => listSignatures({ signal }),
  // To write does not wait for a service that is away.
  retry: false,
})

export const signaturesChanged = () => queryClient.invalidateQueries({ queryKey: signaturesQuery.queryKey })

/** The one for a mailbox; none where the service does not tell. */
export async function signatureOf(mailbox: string): Promise<Signature | undefined> {
  const known = await queryClient.ensureQueryData(signaturesQuery).catch(() => undefined)
  return known?.data.find((one) => one.mailbox === mailbox)
}
