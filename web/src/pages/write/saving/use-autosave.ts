import { useCallback, useEffect, useState } from 'react'
import { saysSignedOut } from '../../../api/call.ts'
import { meChanged } from '../../../session/me.ts'
import { noteSaved } from '../open-message.ts'
import { isEmpty, type Writing } from '../writing.ts'
import { DraftConflict, save } from './save.ts'

/** The pause after the last key. */
const restMs = 1_200
/** The pause if the service does not answer. */
const retryMs = 4_000

/** Saves the open message as a draft, a while after each change. Answers why the last attempt failed, and how to retry now. While
 *  it is paused somebody else saves and sends it: a draft that is sent must not be made anew. */
export function useAutosave(
  writing: Writing,
  isPaused: boolean,
): { readonly problem: Error | undefined; readonly tryNow: () => void } {
  const [problem, setProblem] = useState<Error>()
  const [tries, setTries] = useState({ count: 0, atOnce: false })
  const isStopped = problem instanceof DraftConflict
  // biome-ignore lint/correctness/useExhaustiveDependencies: what failed is tried again
  useEffect(() => {
    if (isPaused || isStopped || writing.isSaved || isEmpty({ ...writing, unfinished: {} })) return
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
  }, [writing, tries, isStopped, isPaused])
  const tryNow = useCallback(() => setTries(({ count }) => ({ count: count + 1, atOnce: true })), [])
  useEffect(() => {
    window.addEventListener('online', tryNow)
    return () => window.removeEventListener('online', tryNow)
  }, [tryNow])
  // A conflict ends with a decision.
  useEffect(() => {
    if (writing.draft === undefined) setProblem(undefined)
  }, [writing.draft])
  return { problem, tryNow }
}
