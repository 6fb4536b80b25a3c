import { FairShare, type Holder } from '#/base/event-loop/fair-share.ts'
import { IMAP_LIMITS } from '../wire/limits.ts'
import type { User } from './session.ts'

/** Every connection may wait for its turn, until its program takes the server for dead. */
const waiting = IMAP_LIMITS.connections
const patience = 60_000

/** What the organizations of a process share. Whatever the sessions of one hold, and however long, there is room for the next (src/base/event-loop/fair-share.ts),
 *  as over HTTP. */
export class Budgets {
  /** Connections that are signed in. */
  readonly sessions = new FairShare({ all: IMAP_LIMITS.connections, waiting: 0, patience: 0 })
  /** Commands that are carried out at a time, without those that wait for their clients. */
  readonly work: FairShare
  /** Octets of answers, and of what they are made of, until the client has read them. */
  readonly memory: FairShare
  /** The largest part of it: a budget gives whoever has none a part of any size. */
  readonly mostMemory: number
  /** Folders whose state is remembered for NOTIFY, of up to a KiB each. */
  readonly folders: FairShare

  constructor({ work = 16, memory = 256 << 20, folders = 100_000 } = {}) {
    this.mostMemory = memory / 4
    this.work = new FairShare({ all: work, waiting, patience })
    this.memory = new FairShare({ all: memory, waiting, patience })
    this.folders = new FairShare({ all: folders, waiting: 0, patience: 0 })
  }
}

/** Who takes part of a budget: the organization of the mailbox that has signed in, whatever it has selected. */
export function holderOf({ mailbox }: Pick<User, 'mailbox'>): Holder {
  return { organization: mailbox.organizationId, key: mailbox.mailboxId }
}
