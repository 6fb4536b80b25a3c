import { useEffect, useState } from 'react'
import { saysSignedOut } from '../../api/call.ts'
import { meChanged } from '../../session/me.ts'
import { noteSaved } from './desk.ts'
import { DraftConflict, save } from './save.ts'
import { isEmpty, type Writing } from './writing.ts'

/** After the last key. */
const restMs = 1_200
/** Where the service is away. */
const retryMs = 4_000

/** Saves the message that is open as a draft, a while after each change. Answers why that did not succeed last. */
export function useAutosave(writing: Writing): Error | undefined {
  const [problem, setProblem] = useState<Error>()
  const [tries, setTries] = useState(0)
  const isStopped = problem instanceof DraftConflict
  // biome-ignore lint/correctness/useExhaustiveDependencies: what failed is tried again
  useEffect(() => {
    if (isStopped || writing.isSaved || isEmpty(writing)) return
    const timer = setTimeout(
      () =>
        save(writing).then(
          (draft) => {
            setProblem(undefined)
            noteSaved(writing, draft)
          },
          (error: Error) => {
            if (saysSignedOut(error)) void meChanged()
            setProblem(error)
            setTries((before) => before + 1)
          },
        ),
      problem ? retryMs : restMs,
    )
    return () => clearTimeout(timer)
  }, [writing, tries, isStopped])
  useEffect(() => {
    const again = () => setTries((before) => before + 1)
    window.addEventListener('online', again)
    return () => window.removeEventListener('online', again)
  }, [])
  // A conflict is over once somebody has decided.
  useEffect(() => {
    if (writing.draft === undefined) setProblem(undefined)
  }, [writing.draft])
  return problem
}
