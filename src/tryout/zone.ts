/** The domain of the try-out: reserved (RFC 2606), so no mail can leave by accident. */
export const tryoutDomain = 'tryout.test'

/** Names that exist for tests and examples alone (RFC 2606, RFC 6761): the try-out answers for them itself, so that it
 *  works, and starts at once, without the internet. */
export const reservedZones = ['test', 'example', 'invalid', 'localhost', 'example.com', 'example.net', 'example.org']

export const tryoutZone = {
  [tryoutDomain]: { mx: [{ exchange: 'localhost', priority: 10 }], txt: ['v=spf1 ip4:127.0.0.1 ip6:::1 -all'] },
} as const
