import { useEffect, useState } from 'react'

/** Long enough that values which are only passed by are not requested. */
const settledMs = 150

/** The value once it has been the same for a moment; undefined before. */
export function useSettled<T>(value: T): T | undefined {
  const [settled, setSettled] = useState<T>()
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), settledMs)
    return () => clearTimeout(timer)
  }, [value])
  return settled === value ? settled : undefined
}
