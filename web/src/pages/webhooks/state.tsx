import type { Webhook } from '../../api/generated.ts'
import { Status } from '../../parts/text/status.tsx'
import { Time } from '../../parts/time/time.tsx'

/** Whether a webhook delivers, and if not, since when. */
export function State({ status, waiting, failing_since, paused_because }: Webhook) {
  if (status === 'paused')
    return (
      <>
        <Status is="plain">Paused</Status>
        {paused_because && <div>{paused_because}</div>}
      </>
    )
  return (
    <>
      {status === 'failing' ? <Status is="bad">Failing</Status> : <Status is="good">Active</Status>}
      {failing_since && (
        <div>
          Since <Time at={failing_since} />
        </div>
      )}
      {waiting > 0 && <div>{waiting} waiting</div>}
    </>
  )
}
