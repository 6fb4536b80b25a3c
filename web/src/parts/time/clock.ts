/** A clock that ticks at an interval, shared by all components that read it. */
export function clock(everyMs: number) {
  const followers = new Set<() => void>()
  let timer: ReturnType<typeof setInterval> | undefined
  return {
    follow(follower: () => void): () => void {
      followers.add(follower)
      timer ??= setInterval(() => {
        for (const each of followers) each()
      }, everyMs)
      return () => {
        followers.delete(follower)
        if (followers.size > 0) return
        clearInterval(timer)
        timer = undefined
      }
    },
    latest: () => Math.floor(Date.now() / everyMs) * everyMs,
  }
}
