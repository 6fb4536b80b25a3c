/** An organization's use of its plan. */
export interface Usage {
  readonly plan: string
  readonly mailboxes: Counted
  readonly domains: Counted
  readonly storage: Counted
  readonly sending: Counted
}

interface Counted {
  readonly used: number
  readonly limit: number
}

/** The object of docs/reference/usage.md. After a change to a smaller plan, use can exceed the limit; zero remains then. */
export function present({ plan, mailboxes, domains, storage, sending }: Usage) {
  return {
    plan,
    mailboxes: { ...mailboxes, remaining: remaining(mailboxes) },
    domains: { ...domains, remaining: remaining(domains) },
    storage: { used_bytes: storage.used, limit_bytes: storage.limit, remaining_bytes: remaining(storage) },
    sending: { sent_today: sending.used, limit_per_day: sending.limit, remaining_today: remaining(sending) },
  }
}

function remaining({ used, limit }: Counted): number {
  return Math.max(0, limit - used)
}
