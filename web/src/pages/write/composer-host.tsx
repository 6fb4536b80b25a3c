import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Me } from '../../api/generated.ts'
import { afterPaint } from '../../parts/state/after-paint.ts'
import { ahead } from '../../parts/state/ahead.ts'
import { lazily } from '../../parts/state/loading-parts.ts'
import { Part } from '../../parts/state/part.tsx'
import { useBeginning } from './beginning/opening.ts'
import { signaturesQuery } from './beginning/signature-queries.ts'
import { sendersOf } from './writing.ts'

const Composer = lazily(() => import('./composer.tsx'))

/** The composer beside every page, so that one can read on. It is loaded when first needed. */
export function ComposerHost({ me }: { me: Me }) {
  const asked = useBeginning()
  const mayWrite = sendersOf(me).length > 0
  // The page has priority.
  const [isPainted, setPainted] = useState(false)
  useEffect(() => afterPaint(() => setPainted(true)), [])
  // It is ready when one writes.
  useQuery({ ...signaturesQuery, enabled: mayWrite && isPainted })
  useEffect(() => {
    // Drafts stored on the device stay there until it is loaded.
    if (mayWrite && isPainted)
      ahead(
        () => import('./saving/resume.ts'),
        ({ resume }) => void resume(me.id),
      )
  }, [me.id, mayWrite, isPainted])
  if (!mayWrite || asked === undefined) return null
  return (
    <Part name="The composer">
      <Composer me={me} asked={asked} />
    </Part>
  )
}
