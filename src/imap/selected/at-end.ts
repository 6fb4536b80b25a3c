/** Has `end` called once the connection ends, at once if it has ended already. The answer calls it before. */
export function atEnd(signal: AbortSignal, end: () => void): () => void {
  if (signal.aborted) end()
  else signal.addEventListener('abort', end, { once: true })
  return () => {
    signal.removeEventListener('abort', end)
    end()
  }
}
