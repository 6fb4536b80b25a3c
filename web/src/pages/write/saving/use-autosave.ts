import { useCallback, useEffect, useState } from 'react'
import { saysSignedOut } from '../../../api/call.ts'
import { meChanged } from '../../../session/me.ts'
import { noteSaved } from '../desk.ts'
import { isEmpty, type Writing } from '../writing.ts'
import { DraftConflict, save } from './save.ts'

/** After the last key. */
const restMs = 1_200
/** Where the service is away. */
const retryMs = 4_000

/** Saves the message that is open as a draft, a while after each change. Answers why that did not succeed last, and what tries it now. */
export function useAutosave(writing: Writing): { problem: Error | undefined; tryNow: () => void } {
  const [problem, setProblem] = useState<Error>()
  const [tries, setTries] = useState({ count: 0, atOnce: false })
  const isStopped = problem instanceof DraftConflict
  // biome-ignore lint/correctness/useExhaustiveDependencies: what failed is tried again
  useEffect(() => {
    if (isStopped || writing.isSaved || isEmpty({ ...writing, unfinished: {} })) return
    const timer = setTimeout(
      () =>
        save(writing).then(
          (draft) => {
            setProblem(undefined)
            setTries((before) => (before.atOnce ? { ...before, atOnce: false } : before))
            noteSaved(writing, draft)
          },
          (error: Error) => {
            if (saysSignedOut(error)) void meChanged()
            setProblem(error)
            setTries(({ count }) => ({ count: count + 1, atOnce: false }))
          },
        ),
      tries.atOnce ? 0 : problem ? retryMs : restMs,
    )
    return () => clearTimeout(timer)
  }, [writing, tries, isStopped])
  const tryNow = useCallback(() => setTries(({ count }) => ({ count: count + 1, atOnce: true })), [])
  useEffect(() => {
    window.addEventListener('online', tryNow)
    return () => window.removeEventListener('online', tryNow)
  }, [tryNow])
  // A conflict is over once somebody has decided.
  useEffect(() => {
    if (writing.draft === undefined) setProblem(undefined)
  }, [writing.draft])
  return { problem, tryNow }
}
