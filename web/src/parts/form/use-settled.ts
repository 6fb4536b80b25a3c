import { useEffect, useState } from 'react'

/** Long enough that what is only passed on the way to another is not asked for. */
const settledMs = 150

/** The value, once it has stayed the same for a moment; undefined until then. */
export function useSettled<T>(value: T): T | undefined {
  const [settled, setSettled] = useState<T>()
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), settledMs)
    return () => clearTimeout(timer)
  }, [value])
  return settled === value ? settled : undefined
}
