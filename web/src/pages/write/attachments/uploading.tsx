import { VisuallyHidden } from '../../../parts/state/visually-hidden.tsx'
import type { File } from '../writing.ts'
import { useShare } from './uploads.ts'

/** The progress of an attachment's upload. */
export function Uploading({ file: { id, name } }: { file: File }) {
  const share = useShare(id)
  const isGoing = share !== undefined && share < 1
  const percent = Math.floor((share ?? 0) * 100)
  return (
    <>
      {isGoing && (
        <>
          <progress value={percent} max={100} aria-label={`Uploading ${name}`} />
          <span aria-hidden="true">{percent} %</span>
        </>
      )}
      <VisuallyHidden>
        <span role="status">
          {isGoing && `Uploading ${name}: ${percent - (percent % 25)} %`}
          {share === 1 && `${name} uploaded`}
        </span>
      </VisuallyHidden>
    </>
  )
}
